// Fitted rewards for Python. Numbers are checked here, so that the kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "arrays.hpp"
#include "ngram/rewards.hpp"
#include "ngram/scores.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

// The texts of a list, without a copy: Python's own UTF-8, kept alive.
class Texts {
  public:
    explicit Texts(const nb::list& list) {
        const std::size_t count = list.size();
        kept_.reserve(count);
        views.reserve(count);
        for (std::size_t k = 0; k < count; ++k) {
            nb::object text = list[k];
            if (!PyUnicode_Check(text.ptr()))
                throw nb::type_error(("text " + std::to_string(k + 1) + " is no string").c_str());
            Py_ssize_t size = 0;
            const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
            if (data == nullptr) throw nb::python_error();
            views.emplace_back(data, static_cast<std::size_t>(size));
            kept_.push_back(std::move(text));
        }
    }
    std::vector<std::string_view> views;

  private:
    std::vector<nb::object> kept_;
};

void check_bounds(const std::vector<std::int64_t>& bounds, std::size_t total) {
    bool sound = !bounds.empty() && bounds.front() == 0 && bounds.back() == static_cast<std::int64_t>(total);
    for (std::size_t k = 1; sound && k < bounds.size(); ++k) sound = bounds[k - 1] <= bounds[k];
    if (!sound) throw nb::value_error("bounds must ascend from 0 to the number of references");
}

// Scores samples[k * each .. (k + 1) * each) against the fitted references of items[k].
template <typename Fitted, typename Score>
nb::object of_items(const Fitted& fitted, const nb::list& samples, std::size_t each,
                    const std::vector<std::uint32_t>& items, std::size_t columns, Score&& score) {
    const Texts texts(samples);
    if (texts.views.size() != items.size() * each)
        throw nb::value_error("there must be equally many samples for each item");
    for (const std::uint32_t item : items)
        if (item >= fitted.items()) throw nb::index_error("an item was not fitted");
    std::vector<double> out(texts.views.size() * columns);
    {
        nb::gil_scoped_release release;
        score(Samples{texts.views, each, items, {}, {}}, out.data());
    }
    return to_numpy(std::move(out));
}

// Scores samples against references of their own.
template <typename Score>
nb::object of_references(const nb::list& samples, std::size_t each, const nb::list& references,
                         const std::vector<std::int64_t>& bounds, std::size_t columns, Score&& score) {
    const Texts texts(samples), lines(references);
    check_bounds(bounds, lines.views.size());
    if (texts.views.size() != (bounds.size() - 1) * each)
        throw nb::value_error("there must be equally many samples for each item");
    std::vector<double> out(texts.views.size() * columns);
    {
        nb::gil_scoped_release release;
        score(Samples{texts.views, each, {}, lines.views, bounds}, out.data());
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_rewards(nb::module_& m) {
    nb::class_<FittedReferences>(m, "FittedReferences")
        .def(
            "__init__",
            [](FittedReferences* self, const nb::list& references, const std::vector<std::int64_t>& bounds) {
                const Texts lines(references);
                check_bounds(bounds, lines.views.size());
                nb::gil_scoped_release release;
                new (self) FittedReferences(lines.views, bounds);
            },
            "references"_a, "bounds"_a)
        .def(
            "bleu",
            [](const FittedReferences& self, const nb::list& samples, std::size_t each,
               const std::vector<std::uint32_t>& items, int threads) {
                return of_items(self, samples, each, items, kBleuColumns,
                                [&](const Samples& s, double* out) { self.bleu(s, threads, out); });
            },
            "samples"_a, "each"_a, "items"_a, "threads"_a = 1)
        .def(
            "bleu_of",
            [](const FittedReferences& self, const nb::list& samples, std::size_t each,
               const nb::list& references, const std::vector<std::int64_t>& bounds, int threads) {
                return of_references(samples, each, references, bounds, kBleuColumns,
                                     [&](const Samples& s, double* out) { self.bleu(s, threads, out); });
            },
            "samples"_a, "each"_a, "references"_a, "bounds"_a, "threads"_a = 1);

    nb::class_<FittedCider>(m, "FittedCider")
        .def(
            "__init__",
            [](FittedCider* self, const nb::list& references, const std::vector<std::int64_t>& bounds,
               double sigma) {
                const Texts lines(references);
                check_bounds(bounds, lines.views.size());
                nb::gil_scoped_release release;
                new (self) FittedCider(lines.views, bounds, sigma);
            },
            "references"_a, "bounds"_a, "sigma"_a)
        .def(
            "score",
            [](const FittedCider& self, const nb::list& samples, std::size_t each,
               const std::vector<std::uint32_t>& items, int threads) {
                return of_items(self, samples, each, items, 1,
                                [&](const Samples& s, double* out) { self.score(s, threads, out); });
            },
            "samples"_a, "each"_a, "items"_a, "threads"_a = 1)
        .def(
            "score_of",
            [](const FittedCider& self, const nb::list& samples, std::size_t each, const nb::list& references,
               const std::vector<std::int64_t>& bounds, int threads) {
                return of_references(samples, each, references, bounds, 1,
                                     [&](const Samples& s, double* out) { self.score(s, threads, out); });
            },
            "samples"_a, "each"_a, "references"_a, "bounds"_a, "threads"_a = 1);
}
