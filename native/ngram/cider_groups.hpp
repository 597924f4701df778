// CIDEr (see CiderModel) where every group of pairs, as the captions of one video, has its own idf.
#pragma once

#include <cstdint>
#include <span>

#include "index.hpp"

namespace storymeter {

// Group g owns pairs pair_bounds[g] .. pair_bounds[g+1] and the items of its idf, items[item_bounds[g] ..
// item_bounds[g+1]), one reference sentence each. All are sentence numbers of the index. `sigma` 0: no length
// penalty.
struct CiderGroups {
    std::span<const std::uint32_t> candidates, references;
    std::span<const std::int64_t> pair_bounds;
    std::span<const std::uint32_t> items;
    std::span<const std::int64_t> item_bounds;
};

void cider_by_group(const NgramIndex& index, const CiderGroups& groups, bool clip, double sigma, int threads,
                    std::span<double> out);

}  // namespace storymeter
