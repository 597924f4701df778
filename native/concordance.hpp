// Pairs that two columns order alike: what Kendall's tau and accuracies over pairs are made of, for many columns at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace storymeter {

// One row of counts per column: concordant minus discordant pairs, pairs tied in the column, pairs tied on both sides, distinct values.
inline constexpr std::size_t kConcordanceCounts = 4;

// `fixed` and each of the `columns` (n values, one after another) hold ranks: 0 .. levels - 1, equal for ties. O(n log levels) per column, by
// a Fenwick tree over the ranks seen so far.
void concordance(std::span<const std::int32_t> fixed, std::int32_t fixed_levels, std::span<const std::int32_t> columns, std::int32_t levels,
                 std::int64_t* out, int threads);

}  // namespace storymeter
