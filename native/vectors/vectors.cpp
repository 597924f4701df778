#include "vectors.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace storymeter {

// Sixteen running sums: the order of additions is fixed by the code, and the compiler can still use vector
// registers.
float dot(std::span<const float> a, std::span<const float> b) {
    const std::size_t n = a.size();
    float sum[16] = {};
    std::size_t k = 0;
    for (; k + 16 <= n; k += 16) {
        for (std::size_t lane = 0; lane < 16; ++lane) sum[lane] += a[k + lane] * b[k + lane];
    }
    float rest = 0;
    for (; k < n; ++k) rest += a[k] * b[k];
    for (std::size_t half = 8; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
    }
    return sum[0] + rest;
}

void dot_indexed(Vectors a, Vectors b, std::span<const std::int64_t> ia, std::span<const std::int64_t> ib,
                 std::span<double> out, int threads) {
    parallel_blocks(ia.size(), 4096, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t k = begin; k < end; ++k) {
            out[k] = dot(a.row(static_cast<std::size_t>(ia[k])), b.row(static_cast<std::size_t>(ib[k])));
        }
    });
}

namespace {

double weighted_mean(std::span<const float> best, std::span<const double> weight) {
    double sum = 0, total = 0;
    for (std::size_t k = 0; k < best.size(); ++k) {
        sum += weight[k] * best[k];
        total += weight[k];
    }
    return total > 0 ? sum / total : 0.0;
}

}  // namespace

void greedy_matching(const TokenVectors& candidates, const TokenVectors& references,
                     std::span<const std::int64_t> ic, std::span<const std::int64_t> ir,
                     std::span<double> out, int threads) {
    parallel_blocks(ic.size(), 64, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<float> best_c, best_r;
        for (std::size_t k = begin; k < end; ++k) {
            const auto c = static_cast<std::size_t>(ic[k]), r = static_cast<std::size_t>(ir[k]);
            const auto c0 = static_cast<std::size_t>(candidates.offset[c]),
                       r0 = static_cast<std::size_t>(references.offset[r]);
            const std::size_t nc = static_cast<std::size_t>(candidates.offset[c + 1]) - c0;
            const std::size_t nr = static_cast<std::size_t>(references.offset[r + 1]) - r0;
            best_c.assign(nc, 0.0F);  // a token that is unlike everything counts nothing
            best_r.assign(nr, 0.0F);
            for (std::size_t i = 0; i < nc; ++i) {
                const std::span<const float> row = candidates.vectors.row(c0 + i);
                for (std::size_t j = 0; j < nr; ++j) {
                    const float similarity = dot(row, references.vectors.row(r0 + j));
                    best_c[i] = std::max(best_c[i], similarity);
                    best_r[j] = std::max(best_r[j], similarity);
                }
            }
            const bool empty = nc == 0 || nr == 0;
            const double precision = empty ? 0.0 : weighted_mean(best_c, candidates.weight.subspan(c0, nc));
            const double recall = empty ? 0.0 : weighted_mean(best_r, references.weight.subspan(r0, nr));
            const double sum = precision + recall;
            out[3 * k] = precision;
            out[3 * k + 1] = recall;
            out[3 * k + 2] = sum != 0 ? 2 * precision * recall / sum : 0.0;
        }
    });
}

}  // namespace storymeter
