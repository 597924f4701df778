// Upper bounds of METEOR scores for many pairs, without an alignment.
//
// A word can be matched only where the other sentence holds the same word, stem or synset, or a paraphrase of
// a phrase around it. If all of them are matched, the equal ones as such, the others by the best module that
// is left, and in one chunk, precision, recall and the factor of fragmentation are as great as they can be;
// so is their product, the score.
#pragma once

#include "batch.hpp"

namespace storymeter::meteor {

// Pairs as in `compare`. A sentence of more than 64 words, or a reference of several, has the bound 1.
void bounds(LexiconPool& pool, std::span<const std::string_view> candidates,
            std::span<const std::string_view> references, std::span<const std::int64_t> candidate_index,
            std::span<const std::int64_t> reference_index, const Options& options, std::span<double> out);

}  // namespace storymeter::meteor
