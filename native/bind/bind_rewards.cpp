// Fitted rewards for Python. Numbers are checked here, so that the kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

#include "arrays.hpp"
#include "ngram/rewards.hpp"
#include "ngram/scores.hpp"
#include "texts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

void check_bounds(const std::vector<std::int64_t>& bounds, std::size_t total) {
    if (!are_offsets(bounds, total))
        throw nb::value_error("bounds must ascend from 0 to the number of references");
}

// Scores samples[k * each .. (k + 1) * each) against the fitted references of items[k].
template <typename Fitted, typename Score>
nb::object of_items(const Fitted& fitted, const nb::list& samples, std::size_t each,
                    const std::vector<std::uint32_t>& items, std::size_t columns, Score&& score) {
    const Texts texts(samples);
    if (texts.size() != items.size() * each)
        throw nb::value_error("there must be equally many samples for each item");
    for (const std::uint32_t item : items)
        if (item >= fitted.items()) throw nb::index_error("an item was not fitted");
    std::vector<double> out(texts.size() * columns);
    {
        nb::gil_scoped_release release;
        score(Samples{texts.views(), each, items, {}, {}}, out);
    }
    return to_numpy(std::move(out));
}

// Scores samples against references of their own.
template <typename Score>
nb::object of_references(const nb::list& samples, std::size_t each, const nb::list& references,
                         const std::vector<std::int64_t>& bounds, std::size_t columns, Score&& score) {
    const Texts texts(samples), lines(references);
    check_bounds(bounds, lines.size());
    if (texts.size() != (bounds.size() - 1) * each)
        throw nb::value_error("there must be equally many samples for each item");
    std::vector<double> out(texts.size() * columns);
    {
        nb::gil_scoped_release release;
        score(Samples{texts.views(), each, {}, lines.views(), bounds}, out);
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_rewards(nb::module_& m) {
    nb::class_<FittedReferences>(
        m, "FittedReferences",
        "Statistics of BLEU of batches of samples against references that were read once")
        .def(
            "__init__",
            [](FittedReferences* self, const nb::list& references, const std::vector<std::int64_t>& bounds) {
                const Texts lines(references);
                check_bounds(bounds, lines.size());
                nb::gil_scoped_release release;
                new (self) FittedReferences(lines.views(), bounds);
            },
            "references"_a, "bounds"_a)
        .def(
            "bleu",
            [](const FittedReferences& self, const nb::list& samples, std::size_t each,
               const std::vector<std::uint32_t>& items, int threads) {
                return of_items(self, samples, each, items, kBleuColumns,
                                [&](const Samples& s, std::span<double> out) { self.bleu(s, threads, out); });
            },
            "samples"_a, "each"_a, "items"_a, "threads"_a = 1)
        .def(
            "bleu_of",
            [](const FittedReferences& self, const nb::list& samples, std::size_t each,
               const nb::list& references, const std::vector<std::int64_t>& bounds, int threads) {
                return of_references(
                    samples, each, references, bounds, kBleuColumns,
                    [&](const Samples& s, std::span<double> out) { self.bleu(s, threads, out); });
            },
            "samples"_a, "each"_a, "references"_a, "bounds"_a, "threads"_a = 1);

    nb::class_<FittedCider>(m, "FittedCider",
                            "CIDEr-D of batches of samples against references that were read once")
        .def(
            "__init__",
            [](FittedCider* self, const nb::list& references, const std::vector<std::int64_t>& bounds,
               double sigma) {
                const Texts lines(references);
                check_bounds(bounds, lines.size());
                nb::gil_scoped_release release;
                new (self) FittedCider(lines.views(), bounds, sigma);
            },
            "references"_a, "bounds"_a, "sigma"_a)
        .def(
            "score",
            [](const FittedCider& self, const nb::list& samples, std::size_t each,
               const std::vector<std::uint32_t>& items, int threads) {
                return of_items(self, samples, each, items, 1, [&](const Samples& s, std::span<double> out) {
                    self.score(s, threads, out);
                });
            },
            "samples"_a, "each"_a, "items"_a, "threads"_a = 1)
        .def(
            "score_of",
            [](const FittedCider& self, const nb::list& samples, std::size_t each, const nb::list& references,
               const std::vector<std::int64_t>& bounds, int threads) {
                return of_references(
                    samples, each, references, bounds, 1,
                    [&](const Samples& s, std::span<double> out) { self.score(s, threads, out); });
            },
            "samples"_a, "each"_a, "references"_a, "bounds"_a, "threads"_a = 1);
}
