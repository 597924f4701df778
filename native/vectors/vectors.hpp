// Dot products and greedy matchings of float32 vectors, many at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storymeter {

// rows of equal length, one after another
struct Vectors {
    std::span<const float> values;
    std::size_t dimension;
    [[nodiscard]] std::span<const float> row(std::size_t k) const {
        return values.subspan(k * dimension, dimension);
    }
};

// Both have the same number of values.
float dot(std::span<const float> a, std::span<const float> b);

// out[k] = a.row(ia[k]) . b.row(ib[k])
void dot_indexed(Vectors a, Vectors b, std::span<const std::int64_t> ia, std::span<const std::int64_t> ib,
                 std::span<double> out, int threads);

// Sentences as runs of token vectors of length one: sentence s has rows offset[s] .. offset[s+1].
struct TokenVectors {
    Vectors vectors;
    std::span<const std::int64_t> offset;
    std::span<const double> weight;  // one per row
};

// out[3k..] = precision, recall and F1 of candidate ic[k] against reference ir[k]: each token is matched with
// the most similar token of the other side, or with nothing (0) where all are opposite, and the similarities
// are averaged by weight (Zhang et al., BERTScore, ICLR 2020).
void greedy_matching(const TokenVectors& candidates, const TokenVectors& references,
                     std::span<const std::int64_t> ic, std::span<const std::int64_t> ir,
                     std::span<double> out, int threads);

}  // namespace storymeter
