// Finds the pairs that could still be part of a best matching, where some weights are known and the others
// have an upper bound.
#pragma once

#include "matching.hpp"

namespace storymeter {

// Problems as in `match_sparse`; weight[e] is exact where known[e], an upper bound elsewhere. With F and B
// the optima of what lies before and behind an entry (weights as given), no matching that holds the entry
// exceeds F + weight + B; it is open if that reaches the optimum over known entries alone. What is not open
// cannot change the optimum, nor which of several best matchings is chosen. Of each column's open entries
// that are not known the `most` with the greatest weights are returned, sorted; only the problems `which` are
// looked at.
std::vector<std::int64_t> open_entries(const SparseProblems& problems, std::span<const std::uint8_t> known,
                                       std::span<const std::int64_t> which, std::size_t most, int threads);

}  // namespace storymeter
