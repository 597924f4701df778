// Penn Treebank tokens: the lines below were also given to the tokeniser of pycocoevalcap 1.2
// (stanford-corenlp-3.4.1.jar, PTBTokenizer -preserveLines -lowerCase), which wrote the same tokens.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ptb/ascii_words.hpp"
#include "ptb/ptb.hpp"

using namespace storymeter;

namespace {

const std::vector<std::pair<std::string, std::string>> kLines{
    {"The man's dog isn't big.", "the man 's dog is n't big ."},
    {"He cannot go; they're gonna win!", "he can not go ; they 're gon na win !"},
    {"It cost $5.50 (about 10%) in the U.S.", "it cost $ 5.50 -lrb- about 10 % -rrb- in the u.s."},
    {"Visit http://a.com/b?c=1, e-mail me@x.org.", "visit http://a.com/b?c=1 , e-mail me@x.org ."},
    {"\"Hello,\" he said.", "`` hello , '' he said ."},
    {"AT&amp;T -- the T-shirt's 3/4 off...", "at&t -- the t-shirt 's 3/4 off ..."},
    {"Mr. Smith's 1990s caf\u00E9 at 5 p.m.", "mr. smith 's 1990s caf\u00E9 at 5 p.m."},
    {"#1 @bob :-) \u201Cquoted\u201D", "# 1 @bob :--rrb- `` quoted ''"},
    {"well-known and/or follow-up No. 5 file.txt", "well-known and/or follow-up no. 5 file.txt"},
    {"I'd've 'em, rock 'n' roll in '99 <b>bold</b> [x]",
     "i 'd 've 'em , rock 'n' roll in '99 <b> bold </b> -lsb- x -rsb-"},
};

}  // namespace

TEST_SUITE_BEGIN("ptb");

TEST_CASE("tokens of the original tool") {
    for (const auto& [line, tokens] : kLines) {
        CHECK(ptb_tokenize(line, true) == tokens);
        CHECK(ptb_tokenize_by_table(line, true) == tokens);
    }
    CHECK(ptb_tokenize("", true).empty());
    CHECK(ptb_tokenize(" \t ", true).empty());
}

TEST_CASE("punctuation can be dropped") {
    CHECK(ptb_tokenize("The man's dog isn't big.", false) == "the man 's dog is n't big");
    CHECK(ptb_tokenize("\"Hello,\" he said -- (twice)...", false) == "hello he said -lrb- twice -rrb-");
    // pycocoevalcap lists the brackets in capitals, which no lower-cased token is: they stay.
    CHECK(ptb_tokenize(". , !", false).empty());
}

TEST_CASE("threads do not change the tokens") {
    std::vector<std::string_view> lines;
    std::vector<std::string> expected;
    for (int round = 0; round < 100; ++round) {
        for (const auto& [line, tokens] : kLines) {
            lines.push_back(line);
            expected.push_back(tokens);
        }
    }
    CHECK(ptb_tokenize_batch(lines, true, 1) == expected);
    CHECK(ptb_tokenize_batch(lines, true, 4) == expected);
}

TEST_CASE("the shortcut for ASCII words stops where the rule table must decide") {
    std::string out;
    ptb::Writer writer(out, true);
    const auto covered = [&](std::string_view text) {
        return ptb::ascii_words(text.data(), text.size(), 0, writer);
    };
    CHECK(covered("A man, a dog.") == 13);
    CHECK(out == "a man , a dog .");
    CHECK(covered("he cannot") == 3);  // a split word
    CHECK(covered("the man's") == 4);  // an apostrophe
    CHECK(covered("see Mr. X") == 4);  // an abbreviation
    CHECK(covered("go 7 times") == 3);
}

TEST_CASE("characters have the kinds that the rules look for") {
    CHECK(ptb::is('a', ptb::kLetter));
    CHECK(ptb::is(0xE9, ptb::kAnyLetter));
    CHECK_FALSE(ptb::is(0xE9, ptb::kLetter));
    CHECK(ptb::is('7', ptb::kDigit));
    CHECK_FALSE(ptb::is(-1, 0xFFFF));  // the end of the text is of no kind
    CHECK(ptb::folded('K') == 'k');
    CHECK(ptb::folded(0x212A) == 'k');  // the Kelvin sign
    CHECK(ptb::folded(0x17F) == 's');   // the long s
}

TEST_SUITE_END();
