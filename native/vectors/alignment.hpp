// Align-and-penalise over words: many sentence pairs whose word similarities stand in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storymeter {

// Sentences as runs of word numbers: sentence s has word[offset[s]] .. word[offset[s+1]], each with its
// weight.
struct WeighedWords {
    std::span<const std::int64_t> offset;
    std::span<const std::int32_t> word;
    std::span<const float> weight;
};

// (rows, columns): how alike candidate word r and reference word c are, 0 .. 1. The last bit of a value says
// whether the two exclude each other (1) or not (0): so the nearest word is a plain maximum.
struct Similarities {
    std::span<const float> values;
    std::size_t columns;
    [[nodiscard]] std::span<const float> row(std::size_t k) const {
        return values.subspan(k * columns, columns);
    }
};

struct Penalty {
    float weak_below;  // an alignment less alike than this is none
    float weak;        // what such a word costs
    float opposite;    // what a word costs whose nearest one excludes it
};

// out[k] = mean of both directions for candidate ic[k] and reference ir[k]: every word takes the value of its
// most similar word on the other side, or its penalty; averaged by weight. 0 where a side has no word.
void align_and_penalise(const Similarities& table, const WeighedWords& candidates,
                        const WeighedWords& references, std::span<const std::int64_t> ic,
                        std::span<const std::int64_t> ir, const Penalty& penalty, std::span<double> out,
                        int threads);

}  // namespace storymeter
