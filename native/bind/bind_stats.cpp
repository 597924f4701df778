// Concordant pairs for Python. Ranks are checked here, so that the kernel need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "../concordance.hpp"
#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

using Out = nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void check(std::span<const std::int32_t> ranks, std::int32_t levels) {
    for (const std::int32_t rank : ranks)
        if (rank < 0 || rank >= levels) throw nb::value_error("a rank is out of range");
}

}  // namespace

void bind_stats(nb::module_& m) {
    m.def("concordance", [](const ArrayIn<std::int32_t>& fixed, std::int32_t fixed_levels, const MatrixIn<std::int32_t>& columns, std::int32_t levels, Out& out, int threads) {
        if (columns.shape(1) != fixed.size() || out.shape(0) != columns.shape(0) || out.shape(1) != kConcordanceCounts || fixed.size() > INT32_MAX || fixed_levels < 0 || levels < 0)
            throw nb::value_error("shapes do not fit");
        const std::span<const std::int32_t> one{fixed.data(), fixed.size()}, many{columns.data(), columns.size()};
        nb::gil_scoped_release release;
        check(one, fixed_levels);
        check(many, levels);
        concordance(one, fixed_levels, many, levels, out.data(), threads);
    }, "fixed"_a, "fixed_levels"_a, "columns"_a, "levels"_a, "out"_a, "threads"_a = 1);
}
