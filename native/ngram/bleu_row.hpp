// One row of BLEU's statistics, and the lengths in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "scores.hpp"

namespace storymeter {

// Whether a reference of this length is the one that BLEU takes: the shorter of two equally close.
inline bool closer(std::uint32_t length, std::uint32_t than, std::uint32_t target) {
    const auto distance = [&](std::uint32_t l) { return l > target ? l - target : target - l; };
    return distance(length) != distance(than) ? distance(length) < distance(than) : length < than;
}

using BleuRow = std::span<double, kBleuColumns>;

inline BleuRow bleu_row(std::span<double> rows, std::size_t k) {
    return rows.subspan(k * kBleuColumns).first<kBleuColumns>();
}

inline void fill_lengths(BleuRow row, std::uint32_t length, std::uint32_t reference_length) {
    for (std::size_t n = 0; n < kOrders; ++n)
        row[kOrders + n] = length > n ? static_cast<double>(length - n) : 0.0;
    row[2 * kOrders] = length;
    row[2 * kOrders + 1] = reference_length;
}

}  // namespace storymeter
