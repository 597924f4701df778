#include "concordance.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace storymeter {

namespace {

class Counter {
  public:
    explicit Counter(std::int32_t levels)
        : tree_(static_cast<std::size_t>(levels) + 1),
          seen_(static_cast<std::size_t>(levels)),
          group_(static_cast<std::size_t>(levels)) {}

    // `order` lists the places by rising fixed value, group g of equal ones being order[starts[g]] ..
    // order[starts[g + 1]]
    void count(std::span<const std::int32_t> column, std::span<const std::int32_t> order,
               std::span<const std::size_t> starts, std::span<std::int64_t, kConcordanceCounts> out) {
        std::fill(tree_.begin(), tree_.end(), 0);
        std::fill(seen_.begin(), seen_.end(), 0);
        std::int64_t score = 0, tied = 0, both = 0, distinct = 0;
        for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
            const auto before = static_cast<std::int64_t>(starts[g]);
            for (std::size_t k = starts[g]; k < starts[g + 1]; ++k) {
                const auto rank = static_cast<std::size_t>(column[static_cast<std::size_t>(order[k])]);
                const std::int64_t below = smaller(rank);
                score += below - (before - below - seen_[rank]);
                both += group_[rank]++;
            }
            for (std::size_t k = starts[g]; k < starts[g + 1]; ++k) {
                const auto rank = static_cast<std::size_t>(column[static_cast<std::size_t>(order[k])]);
                group_[rank] = 0;
                distinct += seen_[rank] == 0;
                tied += seen_[rank]++;
                for (std::size_t node = rank + 1; node < tree_.size(); node += node & (~node + 1))
                    ++tree_[node];
            }
        }
        out[0] = score, out[1] = tied, out[2] = both, out[3] = distinct;
    }

  private:
    [[nodiscard]] std::int64_t smaller(std::size_t rank) const {
        std::int64_t sum = 0;
        for (; rank > 0; rank &= rank - 1) sum += tree_[rank];
        return sum;
    }

    std::vector<std::int32_t> tree_, seen_, group_;
};

class Products {
  public:
    explicit Products(std::int32_t levels)
        : count_(static_cast<std::size_t>(levels)), rank_(static_cast<std::size_t>(levels)) {}

    void sum(std::span<const std::int32_t> column, std::span<const double> fixed,
             std::span<double, kRankProducts> out) {
        const std::size_t n = fixed.size();
        std::fill(count_.begin(), count_.end(), 0);
        for (std::size_t k = 0; k < n; ++k) ++count_[static_cast<std::size_t>(column[k])];
        double squares = 0, product = 0;
        std::int64_t below = 0;
        for (std::size_t level = 0; level < count_.size(); ++level) {  // mean rank less (n + 1) / 2
            rank_[level] = static_cast<double>(2 * below + count_[level] - static_cast<std::int64_t>(n)) / 2;
            squares += count_[level] * rank_[level] * rank_[level];
            below += count_[level];
        }
        for (std::size_t k = 0; k < n; ++k) product += fixed[k] * rank_[static_cast<std::size_t>(column[k])];
        out[0] = product, out[1] = squares;
    }

  private:
    std::vector<std::int32_t> count_;
    std::vector<double> rank_;
};

}  // namespace

std::span<const std::int32_t> Columns::at(std::size_t c, std::vector<std::int32_t>& scratch) const {
    if (swaps.empty()) return first.subspan(c * n, n);
    const std::span<const std::uint8_t> bits = swaps.subspan(c / 2 * stride, stride);
    const bool other = c % 2 != 0;
    scratch.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto place = static_cast<std::size_t>(unit[k]);
        const bool swapped = (bits[place / 8] >> (7 - place % 8) & 1) != 0;
        scratch[k] = swapped != other ? second[k] : first[k];
    }
    return scratch;
}

void concordance(std::span<const std::int32_t> fixed, std::int32_t fixed_levels, const Columns& columns,
                 std::int32_t levels, std::span<std::int64_t> out, int threads) {
    const std::size_t n = fixed.size();
    if (n == 0) return;
    std::vector<std::size_t> next(static_cast<std::size_t>(fixed_levels) + 1);
    for (const std::int32_t value : fixed) ++next[static_cast<std::size_t>(value) + 1];
    for (std::size_t level = 1; level < next.size(); ++level) next[level] += next[level - 1];
    const std::vector<std::size_t> starts(next);
    std::vector<std::int32_t> order(n);
    for (std::size_t k = 0; k < n; ++k)
        order[next[static_cast<std::size_t>(fixed[k])]++] = static_cast<std::int32_t>(k);
    parallel_blocks(columns.count(), 8, threads, [&](std::size_t begin, std::size_t end, int) {
        Counter counter(levels);
        std::vector<std::int32_t> scratch;
        for (std::size_t c = begin; c < end; ++c)
            counter.count(columns.at(c, scratch), order, starts,
                          out.subspan(c * kConcordanceCounts).first<kConcordanceCounts>());
    });
}

void rank_products(std::span<const double> fixed, const Columns& columns, std::int32_t levels,
                   std::span<double> out, int threads) {
    if (fixed.empty()) return;
    parallel_blocks(columns.count(), 8, threads, [&](std::size_t begin, std::size_t end, int) {
        Products products(levels);
        std::vector<std::int32_t> scratch;
        for (std::size_t c = begin; c < end; ++c)
            products.sum(columns.at(c, scratch), fixed,
                         out.subspan(c * kRankProducts).first<kRankProducts>());
    });
}

}  // namespace storymeter
