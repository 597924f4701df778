#include "alignment.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "common/parallel.hpp"

namespace storymeter {
namespace {

inline bool exclude_each_other(float alike) { return (std::bit_cast<std::uint32_t>(alike) & 1U) != 0; }

double side(std::span<const float> best, std::span<const float> weight, const Penalty& penalty) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < best.size(); ++k) {
        const float value = exclude_each_other(best[k])    ? -penalty.opposite
                            : best[k] < penalty.weak_below ? -penalty.weak
                                                           : best[k];
        sum += static_cast<double>(weight[k]) * value;
        total += weight[k];
    }
    return total > 0 ? sum / total : 0.0;
}

}  // namespace

void align_and_penalise(const Similarities& table, const WeighedWords& candidates,
                        const WeighedWords& references, std::span<const std::int64_t> ic,
                        std::span<const std::int64_t> ir, const Penalty& penalty, std::span<double> out,
                        int threads) {
    parallel_blocks(ic.size(), 1024, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<float> best_c, best_r;
        for (std::size_t k = begin; k < end; ++k) {
            const auto c = static_cast<std::size_t>(ic[k]), r = static_cast<std::size_t>(ir[k]);
            const auto c0 = static_cast<std::size_t>(candidates.offset[c]),
                       r0 = static_cast<std::size_t>(references.offset[r]);
            const std::size_t nc = static_cast<std::size_t>(candidates.offset[c + 1]) - c0,
                              nr = static_cast<std::size_t>(references.offset[r + 1]) - r0;
            if (nc == 0 || nr == 0) {
                out[k] = 0.0;
                continue;
            }
            best_c.resize(nc);
            best_r.assign(nr, 0.0F);
            for (std::size_t i = 0; i < nc; ++i) {
                const std::span<const float> row =
                    table.row(static_cast<std::size_t>(candidates.word[c0 + i]));
                float best = 0.0F;
                for (std::size_t j = 0; j < nr; ++j) {
                    const float alike = row[static_cast<std::size_t>(references.word[r0 + j])];
                    best = std::max(best, alike);
                    best_r[j] = std::max(best_r[j], alike);
                }
                best_c[i] = best;
            }
            out[k] = 0.5 * (side(best_c, candidates.weight.subspan(c0, nc), penalty) +
                            side(best_r, references.weight.subspan(r0, nr), penalty));
        }
    });
}

}  // namespace storymeter
