// BLEU, ROUGE-L, CIDEr and their kin for Python. Indices are checked here, so that the kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "ngram/cider_groups.hpp"
#include "ngram/index.hpp"
#include "ngram/scores.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

using Numbers = ArrayIn<std::uint32_t>;
using Bounds = ArrayIn<std::int64_t>;
using Index = std::shared_ptr<NgramIndex>;

void check_sentences(const NgramIndex& index, const Numbers& numbers) {
    for (const std::uint32_t number : view(numbers))
        if (number >= index.sentences()) throw nb::index_error("a sentence number is not in the index");
}

void check_bounds(const Bounds& bounds, std::size_t groups, std::size_t total) {
    if (bounds.size() != groups + 1 || !are_offsets(view(bounds), total))
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

// Runs fill(std::span<double>) without the GIL; rows of one value become a plain array.
template <typename Fill>
nb::object filled(std::size_t rows, std::size_t columns, Fill&& fill) {
    std::vector<double> values(rows * columns);
    {
        nb::gil_scoped_release release;
        fill(std::span<double>(values));
    }
    if (columns == 1) return to_numpy(std::move(values));
    return to_numpy(std::move(values), {rows, columns});
}

}  // namespace

void bind_ngram(nb::module_& m) {
    nb::class_<NgramIndex>(
        m, "NgramIndex",
        "Sentences as numbers of words and n-grams of orders 1-4; does not change once it is made")
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
                 std::vector<std::uint64_t> hashes;
                 {
                     nb::gil_scoped_release release;
                     hashes = index.gram_hashes();
                 }
                 return to_numpy(std::move(hashes));
             })
        .def("ids",
             [](const NgramIndex& index) { return to_numpy(std::vector<std::uint32_t>(index.ids())); });

    m.def(
        "bleu_statistics",
        [](const Index& index, const Numbers& candidates, const Numbers& references, const Bounds& bounds,
           int threads) {
            const Batch b = batch(*index, candidates, references, bounds);
            return filled(b.size(), kBleuColumns,
                          [&](std::span<double> out) { bleu_statistics(*index, b, threads, out); });
        },
        "index"_a, "candidates"_a, "references"_a, "bounds"_a, "threads"_a = 1,
        "Rows of matched n-grams (orders 1-4, clipped), n-grams, length and closest reference length");

    m.def(
        "self_bleu_statistics",
        [](const Index& index, const Numbers& sentences, const Bounds& bounds, int threads) {
            check_sentences(*index, sentences);
            check_bounds(bounds, bounds.size() - 1, sentences.size());
            return filled(sentences.size(), kBleuColumns, [&](std::span<double> out) {
                self_bleu_statistics(*index, view(sentences), view(bounds), threads, out);
            });
        },
        "index"_a, "sentences"_a, "bounds"_a, "threads"_a = 1,
        "The statistics of BLEU for each sentence against all others of its group");

    m.def(
        "rouge_l",
        [](const Index& index, const Numbers& candidates, const Numbers& references, const Bounds& bounds,
           int threads) {
            const Batch b = batch(*index, candidates, references, bounds);
            return filled(b.size(), 2, [&](std::span<double> out) { rouge_l(*index, b, threads, out); });
        },
        "index"_a, "candidates"_a, "references"_a, "bounds"_a, "threads"_a = 1,
        "Rows of the best precision and the best recall of the longest common subsequence over the "
        "references");

    m.def(
        "gram_counts",
        [](const Index& index, const Numbers& sentences) {
            check_sentences(*index, sentences);
            return filled(sentences.size(), 2 * kOrders,
                          [&](std::span<double> out) { gram_counts(*index, view(sentences), out); });
        },
        "index"_a, "sentences"_a, "Rows of distinct n-grams of orders 1-4 and of all n-grams of orders 1-4");

    m.def(
        "item_frequencies",
        [](const Index& index, const Numbers& references, const Bounds& bounds) {
            check_sentences(*index, references);
            check_bounds(bounds, bounds.size() - 1, references.size());
            return filled(index->grams(), 1, [&](std::span<double> out) {
                const std::vector<double> counted = item_frequencies(*index, view(references), view(bounds));
                std::copy(counted.begin(), counted.end(), out.begin());
            });
        },
        "index"_a, "references"_a, "bounds"_a,
        "In how many items the references hold each n-gram, by its number");

    nb::class_<CiderModel>(
        m, "CiderModel",
        "CIDEr and CIDEr-D with the document frequencies of a corpus (Vedantam et al., CVPR 2015)")
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
            [](const Index& index, std::size_t items, const ArrayIn<double>& frequencies) {
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
                return filled(b.size(), 1, [&](std::span<double> out) {
                    self.score(*index, b, clip, sigma, threads, out);
                });
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
            return filled(candidates.size(), 1, [&](std::span<double> out) {
                cider_by_group(*index, all, clip, sigma, threads, out);
            });
        },
        "index"_a, "candidates"_a, "references"_a, "pair_bounds"_a, "items"_a, "item_bounds"_a, "clip"_a,
        "sigma"_a, "threads"_a = 1,
        "CIDEr of pairs of sentences; each group of pairs has the document frequencies of its own items");
}
