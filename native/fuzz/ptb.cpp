// Feeds the tokeniser random bytes, soups of signs, and pieces that its rules care about, whole and damaged.
//
//     fuzz_ptb [inputs = 1000000] [seed = 1]
//
// Checks, besides what the sanitisers see: tokens are separated by single blanks and hold no white space; the
// shortcut for plain ASCII words agrees with the rule table; dropping punctuation drops tokens of the set and
// nothing else; threads do not matter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptb/ptb.hpp"

namespace {

using Random = std::mt19937_64;

const std::vector<std::string> kPieces = {
    "a",
    "the ",
    "The ",
    "don't",
    "it's",
    "cannot",
    "gonna ",
    "wanna,",
    "'tis",
    "y'all",
    "o'clock",
    "ma'am",
    "O'Neil",
    "rock'n'roll",
    "Mr. ",
    "etc. ",
    "U.S. ",
    "e.g.",
    "Ph.D.",
    "a. ",
    "co. ltd",
    "no. 5",
    "1/2",
    "2 1/2",
    "10:30",
    ".5",
    "-5",
    "1,000",
    "(555) 555-1234",
    "555 555 5555",
    "12/25/2014",
    "'90s",
    "$5",
    "US$",
    "http://a.b",
    "www.a.com",
    "x*y.org/ab",
    "a@b.c",
    "<a@b.c>",
    "file.txt ",
    "@a",
    "#b",
    "<b>",
    "</b>",
    "<a b='c'>",
    "<a b=\"",
    "<!x",
    "&amp;",
    "&lt;",
    "&apos;",
    "&eacute;",
    "&#39;",
    "AT&T",
    "c++",
    "c#",
    "and/or",
    "t-shirt",
    "U.S.-based",
    "x-U.S.",
    "foo_bar",
    ":)",
    ";-D",
    "^_^",
    "(^_^)",
    "...",
    ". . .",
    "--",
    "---",
    "\"",
    "'",
    "''",
    "`",
    "(",
    ")",
    "[",
    "{",
    "<",
    ">",
    "!",
    "?!",
    ",",
    ";",
    ":",
    "\\*",
    "\\/",
    "|",
    "~",
    "_",
    "=",
    "+",
    "%",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    std::string(1, '\0'),
    "\xC3\xA9",
    "\xC2\xAD",
    "\xE2\x80\x99",
    "\xE2\x80\x9C",
    "\xE2\x80\xA6",
    "\xE4\xB8\xAD",
    "\xF0\x9F\x98\x80",
    "\xCE\xA3",
    "\xC4\xB0",
    "\xC2\xBD",
    "\xE2\x80\xA8",
    "\xED\xA0\x80",
    "\xFF",
    "\xC2",
};

std::string draw(Random& random) {
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    std::string line;
    const std::size_t length = below(50) == 0 ? below(400) : below(14);
    switch (below(4)) {
        case 0:
            for (std::size_t i = 0; i < 3 * length; ++i) line.push_back(static_cast<char>(random() & 0xFF));
            break;
        case 1:
            for (std::size_t i = 0; i < 2 * length; ++i) line.push_back(static_cast<char>(32 + below(95)));
            break;
        default:
            for (std::size_t i = 0; i < length; ++i) line += kPieces[below(kPieces.size())];
            if (!line.empty() && below(2) == 0) line.erase(below(line.size()), 1);
            if (below(8) == 0)
                line.insert(below(line.size() + 1), below(40), kPieces[below(kPieces.size())][0]);
    }
    return line;
}

std::vector<std::string> split(const std::string& tokens) {
    std::vector<std::string> found;
    std::size_t at = 0;
    while (at < tokens.size()) {
        const std::size_t end = std::min(tokens.find(' ', at), tokens.size());
        found.push_back(tokens.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

[[noreturn]] void fail(const char* what, const std::string& line) {
    std::fprintf(stderr, "%s, for the bytes:", what);
    for (const char c : line)
        std::fprintf(stderr, " %02x", static_cast<unsigned>(static_cast<unsigned char>(c)));
    std::fprintf(stderr, "\n");
    std::exit(1);
}

void check(const std::string& line) {
    static const std::set<std::string> kPunctuation = {"''", "'", "``", "`",  ".",   "?", "!",
                                                       ",",  ":", "-",  "--", "...", ";"};
    const std::string all = storymeter::ptb_tokenize(line, true);
    if (all != storymeter::ptb_tokenize_by_table(line, true))
        fail("the shortcut disagrees with the table", line);
    std::string wanted;
    for (const std::string& token : split(all)) {
        if (token.empty() || token.find_first_of("\t\n\r\v\f") != std::string::npos)
            fail("an empty token or white space in one", line);
        if (kPunctuation.count(token) == 0) wanted += (wanted.empty() ? "" : " ") + token;
    }
    if (!all.empty() && all.back() == ' ') fail("a blank at the end", line);
    if (wanted != storymeter::ptb_tokenize(line, false))
        fail("without punctuation something else is missing", line);
}

}  // namespace

int main(int count, char** arguments) {
    const long inputs = count > 1 ? std::atol(arguments[1]) : 1'000'000;
    const long seed = count > 2 ? std::atol(arguments[2]) : 1;
    Random random(static_cast<std::uint64_t>(seed));
    std::vector<std::string> batch;
    std::size_t bytes = 0;
    for (long i = 0; i < inputs; ++i) {
        batch.push_back(draw(random));
        bytes += batch.back().size();
        check(batch.back());
        if (batch.size() == 2'000 || i + 1 == inputs) {
            const std::vector<std::string_view> lines(batch.begin(), batch.end());
            const auto one = storymeter::ptb_tokenize_batch(lines, true, 1);
            if (one != storymeter::ptb_tokenize_batch(lines, true, 4)) fail("threads matter", batch[0]);
            batch.clear();
        }
    }
    std::printf("%ld inputs, %zu bytes, seed %ld: no fault\n", inputs, bytes, seed);
    return 0;
}
