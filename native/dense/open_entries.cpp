#include "open_entries.hpp"

#include <algorithm>

#include "common/parallel.hpp"

namespace storymeter {
namespace {

// Larger tables are not worth their memory: all their entries are open.
constexpr std::size_t kMostCells = std::size_t{1} << 22;
// Sums in another order differ in their last bits.
constexpr double kSlack = 1e-9;

class Opener {
  public:
    void look(const SparseProblems& p, std::span<const std::uint8_t> known, std::size_t k, std::size_t most,
              std::vector<std::int64_t>& out) {
        const std::int64_t begin = p.offset[k], end = p.offset[k + 1];
        if (begin == end) return;
        const auto columns = static_cast<std::size_t>(p.column_end[k] - p.column_begin[k]),
                   rows = static_cast<std::size_t>(p.row_end[k] - p.row_begin[k]);
        best_.resize(std::max(best_.size(), columns));
        for (std::size_t j = 0; j < columns; ++j) best_[j].clear();
        const bool all = (rows + 1) * (columns + 1) > kMostCells;
        const double least = all ? 0.0 : (1.0 - kSlack) * optimum(p, known, k, columns);
        if (!all) fill_before(p, k, rows, columns);
        // backwards: behind_[j] is the optimum of the rows below and the columns from j on
        behind_.assign(columns + 1, 0.0);
        for (std::int64_t at = end; at > begin;) {
            std::int64_t first = at;
            while (first > begin && p.row[first - 1] == p.row[at - 1]) --first;
            const auto row = static_cast<std::size_t>(p.row[first] - p.row_begin[k]);
            for (std::int64_t e = first; e < at; ++e) {
                const auto column = static_cast<std::size_t>(p.column[e] - p.column_begin[k]);
                if (known[e] || p.weight[e] <= 0.0) continue;
                if (all || before_[row * (columns + 1) + column] + p.weight[e] + behind_[column + 1] >= least)
                    best_[column].push_back(e);
            }
            for (std::int64_t e = first; e < at; ++e) {  // from left to right: each needs the old right one
                const auto column = static_cast<std::size_t>(p.column[e] - p.column_begin[k]);
                behind_[column] = std::max(behind_[column], behind_[column + 1] + p.weight[e]);
            }
            for (std::size_t j = columns; j-- > 0;) behind_[j] = std::max(behind_[j], behind_[j + 1]);
            at = first;
        }
        const std::size_t before = out.size();
        for (std::size_t j = 0; j < columns; ++j) {
            auto& open = best_[j];
            if (open.size() > most) {
                std::nth_element(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(most), open.end(),
                                 [&](std::int64_t a, std::int64_t b) {
                                     return p.weight[a] > p.weight[b] ||
                                            (p.weight[a] == p.weight[b] && a < b);
                                 });
                open.resize(most);
            }
            out.insert(out.end(), open.begin(), open.end());
        }
        std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    }

  private:
    std::vector<double> sums_, before_, behind_;
    std::vector<std::vector<std::int64_t>> best_;  // the open entries of each column

    // One more row: sums[j + 1] is the optimum so far over the columns up to j.
    template <typename Counts>
    static void add_row(const SparseProblems& p, std::size_t k, std::int64_t first, std::int64_t last,
                        std::vector<double>& sums, Counts&& counts) {
        for (std::int64_t e = last; e-- > first;) {  // from right to left: each needs the old left one
            const auto column = static_cast<std::size_t>(p.column[e] - p.column_begin[k]);
            if (counts(e)) sums[column + 1] = std::max(sums[column + 1], sums[column] + p.weight[e]);
        }
        for (std::size_t j = 1; j < sums.size(); ++j) sums[j] = std::max(sums[j], sums[j - 1]);
    }

    double optimum(const SparseProblems& p, std::span<const std::uint8_t> known, std::size_t k,
                   std::size_t columns) {
        sums_.assign(columns + 1, 0.0);
        for (std::int64_t at = p.offset[k], next; at < p.offset[k + 1]; at = next) {
            for (next = at + 1; next < p.offset[k + 1] && p.row[next] == p.row[at];) ++next;
            add_row(p, k, at, next, sums_, [&](std::int64_t e) { return known[e] != 0; });
        }
        return sums_.back();
    }

    // before_[i][j]: the optimum of the rows before i and the columns before j.
    void fill_before(const SparseProblems& p, std::size_t k, std::size_t rows, std::size_t columns) {
        sums_.assign(columns + 1, 0.0);
        before_.resize(std::max(before_.size(), rows * (columns + 1)));
        std::int64_t at = p.offset[k];
        for (std::size_t i = 0; i < rows; ++i) {
            std::copy(sums_.begin(), sums_.end(),
                      before_.begin() + static_cast<std::ptrdiff_t>(i * (columns + 1)));
            const std::int64_t first = at;
            while (at < p.offset[k + 1] && p.row[at] == p.row_begin[k] + static_cast<std::int64_t>(i)) ++at;
            add_row(p, k, first, at, sums_, [](std::int64_t) { return true; });
        }
    }
};

}  // namespace

std::vector<std::int64_t> open_entries(const SparseProblems& problems, std::span<const std::uint8_t> known,
                                       std::span<const std::int64_t> which, std::size_t most, int threads) {
    constexpr std::size_t kBlock = 16;
    std::vector<std::vector<std::int64_t>> found((which.size() + kBlock - 1) / kBlock);
    std::vector<Opener> openers(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_blocks(found.size(), 1, threads, [&](std::size_t begin, std::size_t end, int worker) {
        for (std::size_t block = begin; block < end; ++block) {
            for (std::size_t k = block * kBlock; k < std::min(which.size(), (block + 1) * kBlock); ++k)
                openers[static_cast<std::size_t>(worker)].look(
                    problems, known, static_cast<std::size_t>(which[k]), most, found[block]);
        }
    });
    std::vector<std::int64_t> out;
    for (const auto& entries : found) out.insert(out.end(), entries.begin(), entries.end());
    return out;
}

}  // namespace storymeter
