// Segments of time, matchings and numbered pairs for Python. Ranges and entries are checked here, so that the
// kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "common/pair_index.hpp"
#include "dense/open_entries.hpp"
#include "dense/segments.hpp"

namespace nb = nanobind;

using namespace storymeter;

namespace {

using Doubles = ArrayIn<double>;
using Longs = ArrayIn<std::int64_t>;
using Ints = ArrayIn<std::int32_t>;

void check(bool fine, const char* what) {
    if (!fine) throw std::invalid_argument(what);
}

void check_ranges(const Longs& begin, const Longs& end, std::size_t count, std::size_t limit) {
    check(begin.size() == count && end.size() == count, "one range per problem is needed");
    for (std::size_t k = 0; k < count; ++k) {
        check(begin(k) >= 0 && begin(k) <= end(k) && end(k) <= static_cast<std::int64_t>(limit),
              "a range leaves its list");
    }
}

struct Sides {
    Segments candidates, references;
    Tracks tracks;

    Sides(const Doubles& candidate_start, const Doubles& candidate_end, const Doubles& reference_start,
          const Doubles& reference_end, const Longs& candidate_from, const Longs& candidate_to,
          const Longs& reference_from, const Longs& reference_to)
        : candidates{view(candidate_start), view(candidate_end)},
          references{view(reference_start), view(reference_end)},
          tracks{view(candidate_from), view(candidate_to), view(reference_from), view(reference_to)} {
        check(
            candidate_start.size() == candidate_end.size() && reference_start.size() == reference_end.size(),
            "starts and ends differ in number");
        check(candidate_start.size() < INT32_MAX && reference_start.size() < INT32_MAX, "too many captions");
        check_ranges(candidate_from, candidate_to, tracks.count(), candidate_start.size());
        check_ranges(reference_from, reference_to, tracks.count(), reference_start.size());
    }
};

nb::object overlaps(Doubles cs, Doubles ce, Doubles rs, Doubles re, Longs c0, Longs c1, Longs r0, Longs r1,
                    double epsilon, double least, bool strict, int jobs) {
    const Sides sides(cs, ce, rs, re, c0, c1, r0, r1);
    Overlaps found;
    {
        nb::gil_scoped_release release;
        found = find_overlaps(sides.candidates, sides.references, sides.tracks, epsilon, least, strict, jobs);
    }
    return nb::make_tuple(to_numpy(std::move(found.offset)), to_numpy(std::move(found.reference)),
                          to_numpy(std::move(found.candidate)), to_numpy(std::move(found.iou)));
}

nb::object nearest(Doubles cs, Doubles ce, Doubles rs, Doubles re, Longs c0, Longs c1, Longs r0, Longs r1,
                   double epsilon, int jobs) {
    const Sides sides(cs, ce, rs, re, c0, c1, r0, r1);
    Nearest found;
    {
        nb::gil_scoped_release release;
        found = find_nearest(sides.candidates, sides.references, sides.tracks, epsilon, jobs);
    }
    return nb::make_tuple(to_numpy(std::move(found.candidate_iou)), to_numpy(std::move(found.reference_iou)),
                          to_numpy(std::move(found.candidate_distance)),
                          to_numpy(std::move(found.reference_distance)));
}

nb::object match(MatrixIn<double> weights) {
    std::vector<Match> matches;
    double optimum = 0.0;
    {
        nb::gil_scoped_release release;
        Matcher matcher;
        matcher.begin(weights.shape(1));
        for (std::size_t i = 0; i < weights.shape(0); ++i)
            matcher.row(view(weights).subspan(i * weights.shape(1), weights.shape(1)));
        optimum = matcher.optimum();
        matcher.trace(matches);
    }
    std::vector<std::int64_t> rows, columns;
    for (const Match& m : matches) {
        rows.push_back(m.row);
        columns.push_back(m.column);
    }
    return nb::make_tuple(optimum, to_numpy(std::move(rows)), to_numpy(std::move(columns)));
}

// Many sparse problems, checked; call it without the lock of the interpreter.
SparseProblems sparse(const Longs& r0, const Longs& r1, const Longs& c0, const Longs& c1, const Longs& offset,
                      const Ints& row, const Ints& column, const Doubles& weight) {
    const std::size_t count = r0.size(), entries = weight.size();
    check_ranges(r0, r1, count, INT32_MAX);
    check_ranges(c0, c1, count, INT32_MAX);
    check(offset.size() == count + 1 && row.size() == entries && column.size() == entries,
          "the lists differ in length");
    check(offset(0) == 0 && offset(count) == static_cast<std::int64_t>(entries),
          "the offsets do not cover the entries");
    for (std::size_t k = 0; k < count; ++k) {
        check(offset(k) <= offset(k + 1), "offsets must not fall");
        for (std::int64_t e = offset(k); e < offset(k + 1); ++e) {
            check(row(e) >= r0(k) && row(e) < r1(k) && column(e) >= c0(k) && column(e) < c1(k),
                  "an entry lies outside its problem");
            check(
                e == offset(k) || row(e) > row(e - 1) || (row(e) == row(e - 1) && column(e) > column(e - 1)),
                "entries must be sorted");
        }
    }
    return {view(r0), view(r1), view(c0), view(c1), view(offset), view(row), view(column), view(weight)};
}

nb::object match_many(Longs r0, Longs r1, Longs c0, Longs c1, Longs offset, Ints row, Ints column,
                      Doubles weight, int jobs) {
    Matchings found;
    {
        nb::gil_scoped_release release;
        found = match_sparse(sparse(r0, r1, c0, c1, offset, row, column, weight), jobs);
    }
    return nb::make_tuple(to_numpy(std::move(found.optimum)), to_numpy(std::move(found.offset)),
                          to_numpy(std::move(found.entry)));
}

nb::object open_many(Longs r0, Longs r1, Longs c0, Longs c1, Longs offset, Ints row, Ints column,
                     Doubles weight, ArrayIn<std::uint8_t> known, Longs which, std::size_t most, int jobs) {
    check(known.size() == weight.size(), "the lists differ in length");
    std::vector<std::int64_t> found;
    {
        nb::gil_scoped_release release;
        const SparseProblems problems = sparse(r0, r1, c0, c1, offset, row, column, weight);
        for (const std::int64_t k : view(which))
            check(k >= 0 && static_cast<std::size_t>(k) < problems.count(), "there is no such problem");
        found = open_entries(problems, view(known), view(which), most, jobs);
    }
    return to_numpy(std::move(found));
}

}  // namespace

void bind_dense(nb::module_& m) {
    m.def("overlaps", &overlaps,
          "(offset, reference, candidate, IoU) of all pairs of segments with IoU >= least (> least where "
          "strict), problem by problem; IoU = intersection / (hull + epsilon)");
    m.def("nearest", &nearest,
          "Best IoU of each candidate and of each reference with the other side, then the smallest distance "
          "between their starts");
    m.def("match", &match,
          "(sum, rows, columns) of the monotone one-to-one matching with the greatest sum of weights (SODA, "
          "eqs. 5-6)");
    m.def("match_many", &match_many,
          "(sums, offsets, entries) of the best monotone matching of each sparse problem");
    m.def("open_many", &open_many,
          "Entries with an unknown weight that could still be part of a best matching, at most `most` of "
          "each column");
    nb::class_<PairIndex>(m, "PairIndex", "Numbers 64-bit keys by their first appearance")
        .def(nb::init<>())
        .def("__len__", [](const PairIndex& index) { return index.keys().size(); })
        .def("add",
             [](PairIndex& index, ArrayIn<std::uint64_t> keys) {
                 std::vector<std::int64_t> numbers(keys.size());
                 {
                     nb::gil_scoped_release release;
                     index.add(view(keys), numbers);
                 }
                 return to_numpy(std::move(numbers));
             })
        .def("keys", [](const PairIndex& index, std::size_t begin) {
            const std::span keys(index.keys());
            const auto later = keys.subspan(std::min(begin, keys.size()));
            return to_numpy(std::vector<std::uint64_t>(later.begin(), later.end()));
        });
}
