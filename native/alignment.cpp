#include "alignment.hpp"

#include <cmath>
#include <vector>

#include "parallel.hpp"

namespace storymeter {
namespace {

// Of two equally strong ones the alignment that is no contradiction, so that the order of words means nothing.
inline bool nearer(float a, float b) {
    const float x = std::fabs(a), y = std::fabs(b);
    return x > y || (x == y && a > b);
}

double side(std::span<const float> best, std::span<const float> weight, const Penalty& penalty) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < best.size(); ++k) {
        const float value = std::signbit(best[k]) ? -penalty.opposite : best[k] < penalty.weak_below ? -penalty.weak : best[k];
        sum += static_cast<double>(weight[k]) * value;
        total += weight[k];
    }
    return total > 0 ? sum / total : 0.0;
}

}  // namespace

void align_and_penalise(const Similarities& table, const WeighedWords& candidates, const WeighedWords& references, std::span<const std::int64_t> ic,
                        std::span<const std::int64_t> ir, const Penalty& penalty, double* out, int threads) {
    parallel_blocks(ic.size(), 1024, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<float> best_c, best_r;
        for (std::size_t k = begin; k < end; ++k) {
            const auto c = static_cast<std::size_t>(ic[k]), r = static_cast<std::size_t>(ir[k]);
            const auto c0 = static_cast<std::size_t>(candidates.offset[c]), r0 = static_cast<std::size_t>(references.offset[r]);
            const std::size_t nc = static_cast<std::size_t>(candidates.offset[c + 1]) - c0, nr = static_cast<std::size_t>(references.offset[r + 1]) - r0;
            if (nc == 0 || nr == 0) {
                out[k] = 0.0;
                continue;
            }
            best_c.assign(nc, 0.0F);
            best_r.assign(nr, 0.0F);
            for (std::size_t i = 0; i < nc; ++i) {
                const float* row = table.data + static_cast<std::size_t>(candidates.word[c0 + i]) * table.columns;
                for (std::size_t j = 0; j < nr; ++j) {
                    const float alike = row[references.word[r0 + j]];
                    if (nearer(alike, best_c[i])) best_c[i] = alike;
                    if (nearer(alike, best_r[j])) best_r[j] = alike;
                }
            }
            out[k] = 0.5 * (side(best_c, candidates.weight.subspan(c0, nc), penalty) + side(best_r, references.weight.subspan(r0, nr), penalty));
        }
    });
}

}  // namespace storymeter
