// Redundancy of stories (RoViST, NAACL 2022, section 3.3): the mean Jaccard similarity |A ∩ B| / |A ∪ B| of
// the sentences of a story, and of neighbouring n-grams within a sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storymeter {

struct RedundancyOptions {
    std::size_t n = 4;   // words per n-gram
    bool pairs = false;  // count equal token pairs over the union (the authors' script) instead of the set
                         // intersection
    int threads = 1;
};

// Words of sentence s are words[sentences[s] .. sentences[s + 1]); sentences of story k are stories[k] ..
// stories[k + 1]. out[2k] is the mean over all pairs of sentences, out[2k + 1] over all neighbouring n-grams;
// NaN where there is no pair.
void redundancy(std::span<const std::int32_t> words, std::span<const std::int64_t> sentences,
                std::span<const std::int64_t> stories, const RedundancyOptions& options,
                std::span<double> out);

}  // namespace storymeter
