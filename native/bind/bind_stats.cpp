// Concordant pairs and products of ranks for Python. Ranks and shapes are checked here, so that the kernels
// need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "stats/concordance.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

using Ranks = ArrayIn<std::int32_t>;

void check(std::span<const std::int32_t> ranks, std::int64_t levels) {
    for (const std::int32_t rank : ranks)
        if (rank < 0 || rank >= levels) throw nb::value_error("a rank is out of range");
}

Columns listed(const MatrixIn<std::int32_t>& columns) { return {columns.shape(1), view(columns)}; }

Columns swapped(const Ranks& first, const Ranks& second, const Ranks& unit,
                const MatrixIn<std::uint8_t>& swaps) {
    const std::size_t n = first.size();
    if (second.size() != n || unit.size() != n || swaps.shape(1) == 0)
        throw nb::value_error("shapes do not fit");
    return {n, view(first), view(second), view(unit), view(swaps), swaps.shape(1)};
}

void check(const Columns& columns, std::int32_t levels) {
    check(columns.first, levels);
    check(columns.second, levels);
    check(columns.unit, static_cast<std::int64_t>(8 * columns.stride));
}

void count(const Ranks& fixed, std::int32_t fixed_levels, const Columns& columns, std::int32_t levels,
           MatrixOut<std::int64_t>& out, int threads) {
    if (columns.n != fixed.size() || out.shape(0) != columns.count() || out.shape(1) != kConcordanceCounts ||
        fixed.size() > INT32_MAX || fixed_levels < 0 || levels < 0)
        throw nb::value_error("shapes do not fit");
    nb::gil_scoped_release release;
    check(view(fixed), fixed_levels);
    check(columns, levels);
    concordance(view(fixed), fixed_levels, columns, levels, view(out), threads);
}

void multiply(const ArrayIn<double>& fixed, const Columns& columns, std::int32_t levels,
              MatrixOut<double>& out, int threads) {
    if (columns.n != fixed.size() || out.shape(0) != columns.count() || out.shape(1) != kRankProducts ||
        levels < 0)
        throw nb::value_error("shapes do not fit");
    nb::gil_scoped_release release;
    check(columns, levels);
    rank_products(view(fixed), columns, levels, view(out), threads);
}

}  // namespace

void bind_stats(nb::module_& m) {
    m.def(
        "concordance",
        [](const Ranks& fixed, std::int32_t fixed_levels, const MatrixIn<std::int32_t>& columns,
           std::int32_t levels, MatrixOut<std::int64_t>& out,
           int threads) { count(fixed, fixed_levels, listed(columns), levels, out, threads); },
        "fixed"_a, "fixed_levels"_a, "columns"_a, "levels"_a, "out"_a, "threads"_a = 1,
        "Fills a row per column: concordant minus discordant pairs, pairs tied in the column, pairs tied on "
        "both sides, distinct values");

    m.def(
        "concordance_swapped",
        [](const Ranks& fixed, std::int32_t fixed_levels, const Ranks& first, const Ranks& second,
           const Ranks& unit, const MatrixIn<std::uint8_t>& swaps, std::int32_t levels,
           MatrixOut<std::int64_t>& out, int threads) {
            count(fixed, fixed_levels, swapped(first, second, unit, swaps), levels, out, threads);
        },
        "fixed"_a, "fixed_levels"_a, "first"_a, "second"_a, "unit"_a, "swaps"_a, "levels"_a, "out"_a,
        "threads"_a = 1,
        "The same for columns made of `first` and `second`, which change places in the units whose bit is "
        "set");

    m.def(
        "rank_products",
        [](const ArrayIn<double>& fixed, const MatrixIn<std::int32_t>& columns, std::int32_t levels,
           MatrixOut<double>& out, int threads) { multiply(fixed, listed(columns), levels, out, threads); },
        "fixed"_a, "columns"_a, "levels"_a, "out"_a, "threads"_a = 1,
        "Fills a row per column with r its mean ranks less (n + 1) / 2: the sums of fixed * r and of r * r");

    m.def(
        "rank_products_swapped",
        [](const ArrayIn<double>& fixed, const Ranks& first, const Ranks& second, const Ranks& unit,
           const MatrixIn<std::uint8_t>& swaps, std::int32_t levels, MatrixOut<double>& out,
           int threads) { multiply(fixed, swapped(first, second, unit, swaps), levels, out, threads); },
        "fixed"_a, "first"_a, "second"_a, "unit"_a, "swaps"_a, "levels"_a, "out"_a, "threads"_a = 1,
        "The same for columns made of `first` and `second`, which change places in the units whose bit is "
        "set");
}
