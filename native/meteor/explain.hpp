// Explains the score of one pair: its words, and the matches of the alignment that gives the score.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch.hpp"
#include "match.hpp"

namespace storymeter::meteor {

struct Side {
    std::vector<std::string> words;
    std::vector<std::uint8_t> function;  // whether a word is a function word
};

struct Explanation {
    Side test, ref;
    std::vector<Match> matches;  // by their place in the test
};

// Of a reference with `|||` in it, the first part with the best score counts, as in `compare`.
Explanation explain(LexiconPool& pool, std::string_view candidate, std::string_view reference,
                    const Options& options);

}  // namespace storymeter::meteor
