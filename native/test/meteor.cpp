// METEOR 1.5 (Denkowski and Lavie, WMT 2014) over a small table: words, matches, alignments and scores by
// hand.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meteor/batch.hpp"
#include "meteor/bound.hpp"
#include "meteor/compile.hpp"
#include "meteor/explain.hpp"
#include "meteor/groups.hpp"
#include "meteor/input.hpp"
#include "meteor/lower.hpp"
#include "meteor/porter2.hpp"
#include "meteor/words.hpp"

using namespace storymeter::meteor;

namespace {

std::vector<std::byte> small_table() {
    Compiler compiler;
    const std::string_view triples =
        "0.5\nbecause of\ndue to\n0.5\nbecause of\nowing to\n0.1\nis able to\ncan\n";
    compiler.paraphrases(triples.substr(0, 13));  // in pieces, as they come from a file
    compiler.paraphrases(triples.substr(13));
    compiler.function_words("the\na\n");
    compiler.prefixes("# comment\nMr\nNo #NUMERIC_ONLY#\n");
    compiler.synsets("car\n7\nauto\n7 8\nman\n1\nguy\n1\n");
    compiler.exceptions("man\nmen\n");
    return compiler.finish(std::string(64, 'f'));
}

struct Fixture {
    std::vector<std::byte> bytes = small_table();
    Tables tables{bytes};
    LexiconPool pool{tables};
    Options options{*parameters("rank")};

    Explanation aligned(std::string_view candidate, std::string_view reference) {
        return explain(pool, candidate, reference, options);
    }
    // Statistics and score of one pair.
    std::pair<Statistics, double> compared(std::string_view candidate, std::string_view reference) {
        const std::vector<std::string_view> c{candidate}, r{reference};
        const std::vector<std::int64_t> zero{0};
        double value = -1;
        Statistics row{};
        compare(pool, c, r, zero, zero, options, {&value, 1}, {&row, 1}, {});
        return {row, value};
    }
    double bound(std::string_view candidate, std::string_view reference) {
        const std::vector<std::string_view> c{candidate}, r{reference};
        const std::vector<std::int64_t> zero{0};
        double value = -1;
        bounds(pool, c, r, zero, zero, options, {&value, 1});
        return value;
    }
};

// The score as the paper writes it, for equal precision and recall m: m (1 - gamma (chunks / matches) ^
// beta).
double by_paper(double m, double chunks, double matches) {
    return m * (1 - 0.6 * std::pow(chunks / matches, 0.2));
}

}  // namespace

TEST_SUITE_BEGIN("meteor");

TEST_CASE("hashes are Java's String.hashCode") {
    CHECK(java_hash("") == 0);
    CHECK(java_hash("hello") == 99162322);
    CHECK(java_hash("Aa") == java_hash("BB"));
    CHECK(java_hash("\xF0\x9F\x98\x80") == 0xD83Du * 31 + 0xDE00u);  // two UTF-16 units
    CHECK(java_hash(u"hello") == java_hash("hello"));
}

TEST_CASE("stems are those of Porter2 before 2024") {
    const std::pair<const char*, const char*> stems[] = {{"running", "run"},
                                                         {"caresses", "caress"},
                                                         {"ponies", "poni"},
                                                         {"generously", "generous"},
                                                         {"consistency", "consist"},
                                                         {"knackeries", "knackeri"},
                                                         {"knightly", "knight"},
                                                         {"sky", "sky"},
                                                         {"happily", "happili"},
                                                         {"nationally", "nation"},
                                                         {"skis", "ski"},
                                                         {"dying", "die"},
                                                         {"news", "news"},
                                                         {"communism", "communism"},
                                                         {"cries", "cri"},
                                                         {"ties", "tie"},
                                                         {"say", "say"},
                                                         {"by", "by"},
                                                         {"", ""}};
    for (const auto& [word, expected] : stems) CHECK(stem(word) == expected);
    CHECK(porter2(u"inning") == u"inning");
    CHECK(stem_hash("running") == java_hash("run"));
}

TEST_CASE_FIXTURE(Fixture, "normalisation") {
    CHECK(normalize("T-Shirt", tables) == "t shirt");
    CHECK(normalize("jack-o-lantern", tables) == "jack o-lantern");
    CHECK(normalize("Hello, World.", tables) == "hello , world .");
    CHECK(normalize("Mr. X", tables) == "mr. x");  // a prefix that is always one
    CHECK(normalize("No. 5", tables) == "no. 5");  // only before a number
    CHECK(normalize("No. Yes", tables) == "no . yes");
    CHECK(normalize("1,000", tables) == "1,000");
    CHECK(lower(U'\u00C9') == U'\u00E9');
    CHECK(lower(U'!') == U'!');
    std::u32string dotted;
    append_lower(dotted, 0x130);
    CHECK(dotted == U"i\u0307");
    CHECK(trim(" \x01 a b\t") == "a b");
}

TEST_CASE("words, and the way in") {
    std::vector<Token> words;
    const std::string_view text = " a  bc\td ";
    split_words(text, words);
    REQUIRE(words.size() == 3);
    CHECK(words[1].in(text) == "bc");
    CHECK(words[1].hash == java_hash("bc"));
    std::string plain;
    CHECK(split_plain("A Man", plain, words));
    CHECK(plain == "a man");
    CHECK_FALSE(split_plain("a t-shirt", plain, words));
    std::string buffer;
    CHECK(clean_candidate("a ||| b", buffer) == "a b");
    CHECK(clean_candidate("a    b", buffer) == "a  b");  // once from left to right
    std::vector<std::string> parts;
    each_reference("a|||b c|||", [&](std::string_view part) { parts.emplace_back(part); });
    CHECK(parts == std::vector<std::string>{"a", "b c", ""});
}

TEST_CASE_FIXTURE(Fixture, "the table answers what was compiled") {
    const auto word = [&](std::string_view text) { return tables.find(text, java_hash(text)); };
    CHECK(word("unknown") == kNone);
    CHECK(tables.function_word(word("the")));
    CHECK_FALSE(tables.function_word(word("car")));
    CHECK(tables.synsets(word("auto")).size() == 2);
    CHECK(tables.synsets(word("men"))[0] == 1);  // by the exception
    CHECK(tables.prefix("Mr") == Prefix::always);
    CHECK(tables.prefix("No") == Prefix::numeric);
    CHECK(tables.prefix("car") == Prefix::none);
    CHECK(tables.source() == std::string(64, 'f'));
    const std::uint32_t because = tables.node(word("because")), phrase = tables.child(because, word("of"));
    REQUIRE(phrase != kNone);
    CHECK(tables.paraphrases(phrase).size() == 2);
    CHECK(tables.paraphrases(phrase)[0] == tables.child(tables.node(word("due")), word("to")));
    CHECK(tables.child(because, word("to")) == kNone);
}

TEST_CASE("damaged tables and sources are refused") {
    const std::vector<std::byte> sound = small_table();
    for (const std::size_t at : {std::size_t{0}, std::size_t{9}, kHeaderSize + 3, sound.size() - 1}) {
        std::vector<std::byte> damaged = sound;
        damaged[at] ^= std::byte{4};
        CHECK_THROWS_AS(Tables{damaged}, TableError);
    }
    CHECK_THROWS_AS(Tables(std::span(sound).first(sound.size() - 64)), TableError);
    CHECK_THROWS_AS(Tables(std::span(sound).first(10)), TableError);
    Compiler cut;
    cut.paraphrases("0.5\na\n");
    CHECK_THROWS_AS(cut.finish(std::string(64, '0')), SourceError);
    Compiler wrong;
    wrong.paraphrases("0.5\na\nb\n");
    CHECK_THROWS_AS(wrong.synsets("car\nseven\n"), SourceError);
    CHECK_THROWS_AS(wrong.synsets("car\n"), SourceError);
    CHECK_THROWS_AS(wrong.paraphrases("0.5\na\nb\n"), SourceError);
}

TEST_CASE("scores of statistics have the bits of METEOR 1.5") {
    // n1, n2, function words; per module matched content and function words; chunks; matched words: made by
    // meteor-1.5.jar of pycocoevalcap 1.2 (rows of tests/golden/meteor_vectors.jsonl).
    const std::pair<Statistics, double> rows[] = {
        {{4, 5, 1, 3, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 3}, 0.3965557858586919},
        {{5, 5, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 4, 4}, 0.34392215665607445},
        {{6, 7, 4, 5, 1, 1, 3, 3, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 5, 5}, 0.3294488006659915},
        {{9, 7, 5, 4, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 3, 2, 1, 9, 7}, 0.8369293663411309},
    };
    for (const auto& [row, expected] : rows) CHECK(score(row, *parameters("rank")) == expected);
    CHECK(score(Statistics{3, 3}, *parameters("rank")) == 0.0);  // nothing matched
    CHECK(score(Statistics{}, *parameters("rank")) == 0.0);
    CHECK_FALSE(parameters("none"));
    CHECK(parameters("adq")->alpha == 0.75);
    CHECK(parameters("hter")->delta == 0.55);
}

TEST_CASE_FIXTURE(Fixture, "scores by the formula of the paper") {
    CHECK(compared("The man walks", "the man walks").second == 1.0);
    CHECK(compared("big dog", "small cat").second == 0.0);
    CHECK(compared("", "a").second == 0.0);
    // Content words weigh 0.75, function words 0.25: (0.75 + 0.25) of 1.75, one chunk of two words.
    CHECK(compared("the cat sat", "the cat ran").second ==
          doctest::Approx(by_paper(1.0 / 1.75, 1, 2)).epsilon(1e-14));
    CHECK(compared("cat dog", "dog cat").second == doctest::Approx(by_paper(1.0, 2, 2)).epsilon(1e-14));
    // One of two words matched: exactly, by its stem (0.6), by a synonym (0.8).
    CHECK(compared("walks x", "walks y").second == doctest::Approx(by_paper(0.5, 1, 1)).epsilon(1e-14));
    CHECK(compared("walks x", "walking y").second ==
          doctest::Approx(by_paper(0.5 * 0.6, 1, 1)).epsilon(1e-14));
    CHECK(compared("car x", "auto y").second == doctest::Approx(by_paper(0.5 * 0.8, 1, 1)).epsilon(1e-14));
    CHECK(compared("men x", "guy y").second == doctest::Approx(by_paper(0.5 * 0.8, 1, 1)).epsilon(1e-14));
    // A paraphrase of two words for two (0.6), of four words each.
    const auto [row, value] = compared("because of x y", "due to z w");
    CHECK(value == doctest::Approx(by_paper(0.5 * 0.6, 1, 2)).epsilon(1e-14));
    CHECK(row == Statistics{4, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 1, 2, 2});
    // Of several references the best counts.
    CHECK(compared("the cat sat", "a dog ||| the cat sat ||| the cat").second == 1.0);
}

TEST_CASE_FIXTURE(Fixture, "an alignment names its matches") {
    const Explanation found =
        aligned("a man is able to walk because of the car", "a guy can walk due to the auto");
    struct Expected {
        std::uint32_t test, test_length, ref, ref_length;
        Module module;
    };
    const Expected expected[] = {{0, 1, 0, 1, kExact},  {1, 1, 1, 1, kSynonym},    {2, 3, 2, 1, kParaphrase},
                                 {5, 1, 3, 1, kExact},  {6, 2, 4, 2, kParaphrase}, {8, 1, 6, 1, kExact},
                                 {9, 1, 7, 1, kSynonym}};
    REQUIRE(found.matches.size() == std::size(expected));
    for (std::size_t k = 0; k < found.matches.size(); ++k) {
        const Match& m = found.matches[k];
        CHECK(m.test == expected[k].test);
        CHECK(m.test_length == expected[k].test_length);
        CHECK(m.ref == expected[k].ref);
        CHECK(m.ref_length == expected[k].ref_length);
        CHECK(m.module == expected[k].module);
    }
    CHECK(found.test.words[1] == "man");
    CHECK(found.test.function[0] == 1);
    CHECK(found.test.function[1] == 0);
    // Of two equal words the one that makes fewer chunks is taken.
    const Explanation chunk = aligned("x dog runs", "dog y dog runs");
    REQUIRE(chunk.matches.size() == 2);
    CHECK(chunk.matches[0].ref == 2);
    CHECK(chunk.matches[1].ref == 3);
}

TEST_CASE_FIXTURE(Fixture, "a batch gives what its pairs give alone, within their bounds") {
    std::vector<std::string> texts;
    const char* const words[] = {"a",    "the",   "man",        "guy",    "car", "auto",
                                 "walk", "walks", "because of", "due to", "can"};
    for (std::size_t k = 0; k < 40; ++k) {
        std::string text;
        for (std::size_t w = 0; w < 1 + k % 9; ++w)
            text += std::string(words[(k * 7 + w * (k % 5 + 1)) % std::size(words)]) + " ";
        if (k % 10 == 3) text += "||| " + texts[k - 2];
        texts.push_back(text);
    }
    for (int k = 0; k < 80; ++k) texts.back() += "walk ";  // too long for the search of short sentences
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<std::int64_t> c, r;
    for (std::int64_t i = 0; i < 40; ++i) {
        for (std::int64_t j = 0; j < 40; ++j) {
            c.push_back(i);
            r.push_back(j);
        }
    }
    std::vector<double> scores(c.size()), again(c.size()), most(c.size());
    std::vector<Statistics> rows(c.size());
    compare(pool, views, views, c, r, options, scores, rows, {});
    options.threads = 3;
    compare(pool, views, views, c, r, options, again, {}, {});
    CHECK(again == scores);
    bounds(pool, views, views, c, r, options, most);
    options.threads = 1;
    bool tight = false;
    for (std::size_t k = 0; k < c.size(); ++k) {
        CHECK(scores[k] <= most[k] + 1e-12);
        tight = tight || (most[k] < 0.9 && most[k] - scores[k] < 1e-9);
        CHECK(score(rows[k], options.parameters) == scores[k]);
        if (k % 37 == 0)
            CHECK(compared(texts[static_cast<std::size_t>(c[k])], texts[static_cast<std::size_t>(r[k])])
                      .second == scores[k]);
    }
    CHECK(tight);
    CHECK(bound("big dog", "small cat") == 0.0);
    CHECK(bound("walks x", "walks y") >= compared("walks x", "walks y").second);
    CHECK(bound("walks x", "walks y") < 0.25);
}

TEST_CASE("members of groups, the newest first") {
    Groups groups;
    groups.clear(100);
    for (std::uint32_t k = 0; k < 100; ++k) groups.add(k % 3 ? k : 1000000);
    std::vector<std::uint32_t> members;
    groups.each(1000000, [&](std::uint32_t member) { members.push_back(member); });
    REQUIRE(members.size() == 34);
    CHECK(members.front() == 99);
    CHECK(members.back() == 0);
    CHECK_FALSE(groups.empty(1));
    CHECK(groups.empty(3));
}

TEST_SUITE_END();
