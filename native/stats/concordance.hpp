// Counts behind rank correlations, for many columns at once: pairs that two columns order alike (Kendall's
// tau, accuracies over pairs) and products of ranks (Spearman's rho).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace storymeter {

// One row of counts per column: concordant minus discordant pairs, pairs tied in the column, pairs tied on
// both sides, distinct values.
inline constexpr std::size_t kConcordanceCounts = 4;
// One row of sums per column, with r its mean ranks less (n + 1) / 2: of fixed · r, and of r².
inline constexpr std::size_t kRankProducts = 2;

// Columns of n ranks (0 .. levels - 1, equal for ties): written out one after another in `first`, or, with
// `swaps`, made of two that change places. A row of swaps holds a bit per unit, highest first, and gives two
// columns: `first` with `second` where the bit of unit[k] is set, and the reverse.
struct Columns {
    std::size_t n;
    std::span<const std::int32_t> first, second = {}, unit = {};
    std::span<const std::uint8_t> swaps = {};
    std::size_t stride = 0;

    [[nodiscard]] std::size_t count() const {
        return swaps.empty() ? (n ? first.size() / n : 0) : 2 * (swaps.size() / stride);
    }
    // The n ranks of a column, in `scratch` where they have to be put together.
    std::span<const std::int32_t> at(std::size_t c, std::vector<std::int32_t>& scratch) const;
};

// `fixed` holds ranks below `fixed_levels`. O(n log levels) per column, by a Fenwick tree over the ranks seen
// so far.
void concordance(std::span<const std::int32_t> fixed, std::int32_t fixed_levels, const Columns& columns,
                 std::int32_t levels, std::span<std::int64_t> out, int threads);

// `fixed` holds mean ranks less (n + 1) / 2.
void rank_products(std::span<const double> fixed, const Columns& columns, std::int32_t levels,
                   std::span<double> out, int threads);

}  // namespace storymeter
