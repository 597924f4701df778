// Monotone one-to-one matching (SODA eqs. 5-6): S[i][j] = max(S[i-1][j], S[i][j-1], S[i-1][j-1] + C[i][j]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace storymeter {

struct Match {
    std::int64_t row;
    std::int64_t column;
};

// The table of one matching: two rows of sums and two bits per cell for the way back, so that 10,000 x 10,000
// cells need 25 MB. Reuse one object for many matchings.
class Matcher {
  public:
    void begin(std::size_t columns);
    // The next row of C; entries that are not above 0 can never be part of a match.
    void row(std::span<const double> weights);
    double optimum() const { return columns_ == 0 ? 0.0 : sums_.back(); }
    // The pairs that add up to the optimum, first to last.
    void trace(std::vector<Match>& out) const;

  private:
    std::size_t columns_ = 0, rows_ = 0, stride_ = 0;
    std::vector<double> sums_;       // S[i][0..columns]
    std::vector<std::uint8_t> way_;  // 2 bits per cell: 0 up, 1 left, 2 match
};

// Many matchings over sparse tables: problem k has rows [row_begin, row_end) and columns [column_begin,
// column_end) of flat numbering; its entries are offset[k] .. offset[k+1], sorted by row, then column.
struct SparseProblems {
    std::span<const std::int64_t> row_begin, row_end, column_begin, column_end;
    std::span<const std::int64_t> offset;
    std::span<const std::int32_t> row, column;
    std::span<const double> weight;

    std::size_t count() const { return row_begin.size(); }
};

struct Matchings {
    std::vector<double> optimum;       // per problem
    std::vector<std::int64_t> offset;  // of each problem's matches; one more than there are problems
    std::vector<std::int64_t> entry;   // the matched entries, as indices into row/column/weight
};

Matchings match_sparse(const SparseProblems& problems, int threads);

}  // namespace storymeter
