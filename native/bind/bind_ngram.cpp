// BLEU, ROUGE-L, CIDEr and their kin for Python. Indices are checked here, so that the kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "ngram/cider_groups.hpp"
#include "ngram/index.hpp"
#include "ngram/scores.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bounds = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Frequencies = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Index = std::shared_ptr<NgramIndex>;

template <typename Array>
auto view(const Array& array) {
    return std::span(array.data(), array.size());
}

void check_sentences(const NgramIndex& index, const Numbers& numbers) {
    for (const std::uint32_t number : view(numbers))
        if (number >= index.sentences()) throw nb::index_error("a sentence number is not in the index");
}

void check_bounds(const Bounds& bounds, std::size_t groups, std::size_t total) {
    const auto b = view(bounds);
    bool sound = !b.empty() && b.size() == groups + 1 && b.front() == 0 &&
                 b.back() == static_cast<std::int64_t>(total);
    for (std::size_t i = 1; sound && i < b.size(); ++i) sound = b[i - 1] <= b[i];
    if (!sound)
        throw nb::value_error(
            "bounds must ascend from 0 to the number of sentences, one more than there are groups");
}

Batch batch(const NgramIndex& index, const Numbers& candidates, const Numbers& references,
            const Bounds& bounds) {
    check_sentences(index, candidates);
    check_sentences(index, references);
    check_bounds(bounds, candidates.size(), references.size());
    return {view(candidates), view(references), view(bounds)};
}

// Runs fill(double*) without the GIL and hands the memory to numpy.
template <typename Fill>
nb::object filled(std::size_t rows, std::size_t columns, Fill&& fill) {
    auto values = std::make_unique<std::vector<double>>(rows * columns);
    {
        nb::gil_scoped_release release;
        fill(values->data());
    }
    double* data = values->data();
    nb::capsule owner(values.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    if (columns == 1) return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {rows}, owner));
    return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(data, {rows, columns}, owner));
}

}  // namespace

void bind_ngram(nb::module_& m) {
    nb::class_<NgramIndex>(m, "NgramIndex")
        .def_static(
            "of",
            [](const std::vector<std::string>& lines, int orders, std::shared_ptr<NgramIndex> base) {
                nb::gil_scoped_release release;
                return std::make_shared<NgramIndex>(lines, orders, base);
            },
            "lines"_a, "orders"_a = kOrders, "base"_a.none() = nb::none())
        .def_prop_ro("sentences", &NgramIndex::sentences)
        .def("gram_hashes",
             [](const NgramIndex& index) {
                 auto hashes = std::make_unique<std::vector<std::uint64_t>>();
                 {
                     nb::gil_scoped_release release;
                     *hashes = index.gram_hashes();
                 }
                 auto* data = hashes->data();
                 const std::size_t size = hashes->size();
                 nb::capsule owner(hashes.release(), [](void* p) noexcept {
                     delete static_cast<std::vector<std::uint64_t>*>(p);
                 });
                 return nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>(data, {size}, owner);
             })
        .def("ids", [](const NgramIndex& index) {
            auto ids = std::make_unique<std::vector<std::uint32_t>>(index.ids());
            auto* data = ids->data();
            const std::size_t size = ids->size();
            nb::capsule owner(ids.release(),
                              [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
            return nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>(data, {size}, owner);
        });

    m.def(
        "bleu_statistics",
        [](const Index& index, const Numbers& candidates, const Numbers& references, const Bounds& bounds,
           int threads) {
            const Batch b = batch(*index, candidates, references, bounds);
            return filled(b.size(), kBleuColumns,
                          [&](double* out) { bleu_statistics(*index, b, threads, out); });
        },
        "index"_a, "candidates"_a, "references"_a, "bounds"_a, "threads"_a = 1);

    m.def(
        "self_bleu_statistics",
        [](const Index& index, const Numbers& sentences, const Bounds& bounds, int threads) {
            check_sentences(*index, sentences);
            check_bounds(bounds, bounds.size() - 1, sentences.size());
            return filled(sentences.size(), kBleuColumns, [&](double* out) {
                self_bleu_statistics(*index, view(sentences), view(bounds), threads, out);
            });
        },
        "index"_a, "sentences"_a, "bounds"_a, "threads"_a = 1);

    m.def(
        "rouge_l",
        [](const Index& index, const Numbers& candidates, const Numbers& references, const Bounds& bounds,
           int threads) {
            const Batch b = batch(*index, candidates, references, bounds);
            return filled(b.size(), 2, [&](double* out) { rouge_l(*index, b, threads, out); });
        },
        "index"_a, "candidates"_a, "references"_a, "bounds"_a, "threads"_a = 1);

    m.def(
        "gram_counts",
        [](const Index& index, const Numbers& sentences) {
            check_sentences(*index, sentences);
            return filled(sentences.size(), 2 * kOrders,
                          [&](double* out) { gram_counts(*index, view(sentences), out); });
        },
        "index"_a, "sentences"_a);

    m.def(
        "item_frequencies",
        [](const Index& index, const Numbers& references, const Bounds& bounds) {
            check_sentences(*index, references);
            check_bounds(bounds, bounds.size() - 1, references.size());
            return filled(index->grams(), 1, [&](double* out) {
                const std::vector<double> counted = item_frequencies(*index, view(references), view(bounds));
                std::copy(counted.begin(), counted.end(), out);
            });
        },
        "index"_a, "references"_a, "bounds"_a);

    nb::class_<CiderModel>(m, "CiderModel")
        .def(
            "__init__",
            [](CiderModel* self, const Index& index, const Numbers& references, const Bounds& bounds) {
                check_sentences(*index, references);
                check_bounds(bounds, bounds.size() - 1, references.size());
                nb::gil_scoped_release release;
                new (self) CiderModel(index, view(references), view(bounds));
            },
            "index"_a, "references"_a, "bounds"_a)
        .def_static(
            "of_frequencies",
            [](const Index& index, std::size_t items, const Frequencies& frequencies) {
                if (frequencies.size() != index->grams())
                    throw nb::value_error("there must be one frequency for each n-gram of the index");
                std::vector<double> counted(frequencies.data(), frequencies.data() + frequencies.size());
                nb::gil_scoped_release release;
                return CiderModel(index, items, std::move(counted));
            },
            "index"_a, "items"_a, "frequencies"_a)
        .def(
            "score",
            [](const CiderModel& self, const Index& index, const Numbers& candidates,
               const Numbers& references, const Bounds& bounds, bool clip, double sigma, int threads) {
                if (!self.fits(*index))
                    throw nb::value_error("the index does not stand on that of the model");
                const Batch b = batch(*index, candidates, references, bounds);
                return filled(b.size(), 1,
                              [&](double* out) { self.score(*index, b, clip, sigma, threads, out); });
            },
            "index"_a, "candidates"_a, "references"_a, "bounds"_a, "clip"_a, "sigma"_a, "threads"_a = 1);

    m.def(
        "cider_by_group",
        [](const Index& index, const Numbers& candidates, const Numbers& references,
           const Bounds& pair_bounds, const Numbers& items, const Bounds& item_bounds, bool clip,
           double sigma, int threads) {
            for (const Numbers& numbers : {candidates, references, items}) check_sentences(*index, numbers);
            const std::size_t groups = pair_bounds.size() - 1;
            check_bounds(pair_bounds, groups, candidates.size());
            check_bounds(item_bounds, groups, items.size());
            if (candidates.size() != references.size())
                throw nb::value_error("candidates and references differ in number");
            const CiderGroups all{view(candidates), view(references), view(pair_bounds), view(items),
                                  view(item_bounds)};
            return filled(candidates.size(), 1,
                          [&](double* out) { cider_by_group(*index, all, clip, sigma, threads, out); });
        },
        "index"_a, "candidates"_a, "references"_a, "pair_bounds"_a, "items"_a, "item_bounds"_a, "clip"_a,
        "sigma"_a, "threads"_a = 1);
}
