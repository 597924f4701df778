#include "segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"

namespace storymeter {

namespace {

constexpr std::size_t kBlock = 16;

template <typename Visit>
void each_pair(const Segments& candidates, const Segments& references, const Tracks& tracks, std::size_t k,
               double epsilon, Visit&& visit) {
    for (std::int64_t c = tracks.candidate_begin[k]; c < tracks.candidate_end[k]; ++c) {
        const double start = candidates.start[c], end = candidates.end[c];
        for (std::int64_t r = tracks.reference_begin[k]; r < tracks.reference_end[k]; ++r) {
            visit(r, c, interval_iou(references.start[r], references.end[r], start, end, epsilon));
        }
    }
}

}  // namespace

Overlaps find_overlaps(const Segments& candidates, const Segments& references, const Tracks& tracks,
                       double epsilon, double least, bool strict, int threads) {
    const auto wanted = [least, strict](double iou) { return strict ? iou > least : iou >= least; };
    Overlaps out;
    out.offset.assign(tracks.count() + 1, 0);
    parallel_blocks(tracks.count(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t k = begin; k < end; ++k) {
            std::int64_t count = 0;
            each_pair(candidates, references, tracks, k, epsilon,
                      [&](std::int64_t, std::int64_t, double iou) { count += wanted(iou); });
            out.offset[k + 1] = count;
        }
    });
    for (std::size_t k = 0; k < tracks.count(); ++k) out.offset[k + 1] += out.offset[k];
    const auto total = static_cast<std::size_t>(out.offset.back());
    out.reference.resize(total);
    out.candidate.resize(total);
    out.iou.resize(total);
    parallel_blocks(tracks.count(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t k = begin; k < end; ++k) {
            auto at = static_cast<std::size_t>(out.offset[k]);
            each_pair(candidates, references, tracks, k, epsilon,
                      [&](std::int64_t r, std::int64_t c, double iou) {
                          if (!wanted(iou)) return;
                          out.reference[at] = static_cast<std::int32_t>(r);
                          out.candidate[at] = static_cast<std::int32_t>(c);
                          out.iou[at++] = iou;
                      });
        }
    });
    return out;
}

Nearest find_nearest(const Segments& candidates, const Segments& references, const Tracks& tracks,
                     double epsilon, int threads) {
    std::vector<std::size_t> candidate_at(tracks.count() + 1, 0), reference_at(tracks.count() + 1, 0);
    for (std::size_t k = 0; k < tracks.count(); ++k) {
        candidate_at[k + 1] =
            candidate_at[k] + static_cast<std::size_t>(tracks.candidate_end[k] - tracks.candidate_begin[k]);
        reference_at[k + 1] =
            reference_at[k] + static_cast<std::size_t>(tracks.reference_end[k] - tracks.reference_begin[k]);
    }
    constexpr double kNever = std::numeric_limits<double>::infinity();
    Nearest out;
    out.candidate_iou.assign(candidate_at.back(), 0.0);
    out.candidate_distance.assign(candidate_at.back(), kNever);
    out.reference_iou.assign(reference_at.back(), 0.0);
    out.reference_distance.assign(reference_at.back(), kNever);
    parallel_blocks(tracks.count(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t k = begin; k < end; ++k) {
            each_pair(candidates, references, tracks, k, epsilon,
                      [&](std::int64_t r, std::int64_t c, double iou) {
                          const std::size_t i =
                              reference_at[k] + static_cast<std::size_t>(r - tracks.reference_begin[k]);
                          const std::size_t j =
                              candidate_at[k] + static_cast<std::size_t>(c - tracks.candidate_begin[k]);
                          const double distance = std::abs(references.start[r] - candidates.start[c]);
                          out.reference_iou[i] = std::max(out.reference_iou[i], iou);
                          out.candidate_iou[j] = std::max(out.candidate_iou[j], iou);
                          out.reference_distance[i] = std::min(out.reference_distance[i], distance);
                          out.candidate_distance[j] = std::min(out.candidate_distance[j], distance);
                      });
        }
    });
    return out;
}

}  // namespace storymeter
