#include "cider_groups.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

#include "common/parallel.hpp"
#include "ordered_sum.hpp"

namespace storymeter {

namespace {

using Norms = std::array<double, kOrders>;

// One per thread: document frequencies and norms of the present group.
class Group {
  public:
    explicit Group(const NgramIndex& index) : index_(index), frequency_(index.grams(), 0) {}

    void begin(std::span<const std::uint32_t> items) {
        items_ = items;
        log_items_ = items.empty() ? 0.0 : std::log(static_cast<double>(items.size()));
        count(items, 1);
        norms_.clear();
    }

    void end() { count(items_, -1); }

    double score(std::uint32_t candidate, std::uint32_t reference, bool clip, double sigma) {
        const Norms ours = norms(candidate), theirs = norms(reference);
        double value = 0.0;
        for (int order = 1; order <= kOrders; ++order) {
            const auto n = static_cast<std::size_t>(order) - 1;
            const double scale = ours[n] * theirs[n];
            if (scale > 0.0)
                value +=
                    product(index_.grams(candidate, order), index_.grams(reference, order), clip) / scale;
        }
        if (sigma > 0.0) {
            const double difference =
                static_cast<double>(index_.length(candidate)) - static_cast<double>(index_.length(reference));
            value *= std::exp(-(difference * difference) / (2.0 * sigma * sigma));
        }
        return 10.0 * value / kOrders;
    }

  private:
    const NgramIndex& index_;
    std::vector<std::int32_t> frequency_;  // by n-gram: items of the group that hold it
    std::span<const std::uint32_t> items_;
    double log_items_ = 0.0;
    std::unordered_map<std::uint32_t, Norms> norms_;
    std::vector<double> terms_;

    void count(std::span<const std::uint32_t> items, std::int32_t step) {
        for (const std::uint32_t item : items)
            for (int order = 1; order <= kOrders; ++order)
                for (const Gram& gram : index_.grams(item, order)) frequency_[gram.id] += step;
    }

    double weight(const Gram& gram) const {
        return gram.count * (log_items_ - std::log(static_cast<double>(std::max(1, frequency_[gram.id]))));
    }

    const Norms& norms(std::uint32_t sentence) {
        const auto [found, fresh] = norms_.try_emplace(sentence);
        if (fresh) {
            for (int order = 1; order <= kOrders; ++order) {
                terms_.clear();
                for (const Gram& gram : index_.grams(sentence, order))
                    terms_.push_back(weight(gram) * weight(gram));
                found->second[static_cast<std::size_t>(order) - 1] = std::sqrt(ordered_sum(terms_));
            }
        }
        return found->second;
    }

    // The numbers of n-grams, and so their order, follow from the sentences that were met first: the sum does
    // not.
    double product(std::span<const Gram> ours, std::span<const Gram> theirs, bool clip) {
        terms_.clear();
        for (std::size_t i = 0, j = 0; i < ours.size() && j < theirs.size();) {
            if (ours[i].id == theirs[j].id) {
                const double a = weight(ours[i++]), b = weight(theirs[j++]);
                terms_.push_back((clip ? std::min(a, b) : a) * b);
            } else if (ours[i].id < theirs[j].id) {
                ++i;
            } else {
                ++j;
            }
        }
        return ordered_sum(terms_);
    }
};

}  // namespace

void cider_by_group(const NgramIndex& index, const CiderGroups& groups, bool clip, double sigma, int threads,
                    std::span<double> out) {
    std::vector<Group> workers(static_cast<std::size_t>(std::max(threads, 1)), Group(index));
    const auto part = [](auto list, auto bounds, std::size_t g) {
        return list.subspan(static_cast<std::size_t>(bounds[g]),
                            static_cast<std::size_t>(bounds[g + 1] - bounds[g]));
    };
    parallel_blocks(groups.pair_bounds.size() - 1, 8, threads,
                    [&](std::size_t begin, std::size_t end, int worker) {
                        Group& group = workers[static_cast<std::size_t>(worker)];
                        for (std::size_t g = begin; g < end; ++g) {
                            if (groups.pair_bounds[g] == groups.pair_bounds[g + 1]) continue;
                            group.begin(part(groups.items, groups.item_bounds, g));
                            for (auto k = static_cast<std::size_t>(groups.pair_bounds[g]);
                                 k < static_cast<std::size_t>(groups.pair_bounds[g + 1]); ++k) {
                                out[k] = group.score(groups.candidates[k], groups.references[k], clip, sigma);
                            }
                            group.end();
                        }
                    });
}

}  // namespace storymeter
