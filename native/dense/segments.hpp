// Overlap of the time segments of captions with those of references (SODA, ECCV 2020, eq. 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace storymeter {

// Segments of many videos in one flat list.
struct Segments {
    std::span<const double> start, end;
};

// One candidate track against one reference track: [begin, end) ranges into the two flat lists.
struct Tracks {
    std::span<const std::int64_t> candidate_begin, candidate_end, reference_begin, reference_end;

    std::size_t count() const { return candidate_begin.size(); }
};

struct Overlaps {
    std::vector<std::int64_t> offset;  // of each problem in the lists below; one more than there are problems
    std::vector<std::int32_t>
        reference;  // flat indices; sorted by candidate, then reference, within a problem
    std::vector<std::int32_t> candidate;
    std::vector<double> iou;
};

// SODA eq. 1, with `epsilon` added to the denominator. Segments that merely touch, reversed ones and those
// without length overlap nothing.
inline double interval_iou(double start_a, double end_a, double start_b, double end_b, double epsilon) {
    const double inner = (end_a < end_b ? end_a : end_b) - (start_a > start_b ? start_a : start_b);
    if (!(inner > 0)) return 0.0;
    const double hull = (end_a > end_b ? end_a : end_b) - (start_a < start_b ? start_a : start_b);
    return inner / (hull + epsilon);
}

// All pairs with IoU >= least (> least where `strict`).
Overlaps find_overlaps(const Segments& candidates, const Segments& references, const Tracks& tracks,
                       double epsilon, double least, bool strict, int threads);

// For each candidate and each reference of each problem, its best IoU with the other side (0 where there is
// none), and its smallest distance between starts (infinite where there is none). Entries follow the
// problems' ranges in order.
struct Nearest {
    std::vector<double> candidate_iou, reference_iou, candidate_distance, reference_distance;
};
Nearest find_nearest(const Segments& candidates, const Segments& references, const Tracks& tracks,
                     double epsilon, int threads);

}  // namespace storymeter
