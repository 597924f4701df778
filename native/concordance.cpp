#include "concordance.hpp"

#include <algorithm>
#include <vector>

#include "parallel.hpp"

namespace storymeter {

namespace {

class Counter {
  public:
    explicit Counter(std::int32_t levels) : tree_(static_cast<std::size_t>(levels) + 1), seen_(static_cast<std::size_t>(levels)), group_(static_cast<std::size_t>(levels)) {}

    // `order` lists the places by rising fixed value, group g of equal ones being order[starts[g]] .. order[starts[g + 1]]
    void count(const std::int32_t* column, const std::vector<std::int32_t>& order, const std::vector<std::size_t>& starts, std::int64_t* out) {
        std::fill(tree_.begin(), tree_.end(), 0);
        std::fill(seen_.begin(), seen_.end(), 0);
        std::int64_t score = 0, tied = 0, both = 0, distinct = 0;
        for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
            const auto before = static_cast<std::int64_t>(starts[g]);
            for (std::size_t k = starts[g]; k < starts[g + 1]; ++k) {
                const auto rank = static_cast<std::size_t>(column[order[k]]);
                const std::int64_t below = smaller(rank);
                score += below - (before - below - seen_[rank]);
                both += group_[rank]++;
            }
            for (std::size_t k = starts[g]; k < starts[g + 1]; ++k) {
                const auto rank = static_cast<std::size_t>(column[order[k]]);
                group_[rank] = 0;
                distinct += seen_[rank] == 0;
                tied += seen_[rank]++;
                for (std::size_t node = rank + 1; node < tree_.size(); node += node & (~node + 1)) ++tree_[node];
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

}  // namespace

void concordance(std::span<const std::int32_t> fixed, std::int32_t fixed_levels, std::span<const std::int32_t> columns, std::int32_t levels,
                 std::int64_t* out, int threads) {
    const std::size_t n = fixed.size();
    if (n == 0) return;
    std::vector<std::size_t> next(static_cast<std::size_t>(fixed_levels) + 1);
    for (const std::int32_t value : fixed) ++next[static_cast<std::size_t>(value) + 1];
    for (std::size_t level = 1; level < next.size(); ++level) next[level] += next[level - 1];
    const std::vector<std::size_t> starts(next);
    std::vector<std::int32_t> order(n);
    for (std::size_t k = 0; k < n; ++k) order[next[static_cast<std::size_t>(fixed[k])]++] = static_cast<std::int32_t>(k);
    parallel_blocks(columns.size() / n, 8, threads, [&](std::size_t begin, std::size_t end, int) {
        Counter counter(levels);
        for (std::size_t c = begin; c < end; ++c) counter.count(columns.data() + c * n, order, starts, out + c * kConcordanceCounts);
    });
}

}  // namespace storymeter
