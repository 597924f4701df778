// Non-redundancy of stories for Python. Offsets are checked here, so that the kernel need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "arrays.hpp"
#include "story/redundancy.hpp"

namespace nb = nanobind;
using namespace storymeter;

namespace {

void story_redundancy(const ArrayIn<std::int32_t>& words, const ArrayIn<std::int64_t>& sentences,
                      const ArrayIn<std::int64_t>& stories, std::size_t n, bool pairs, int threads,
                      MatrixOut<double> out) {
    if (!are_offsets(view(sentences), words.size()) || !are_offsets(view(stories), sentences.size() - 1) ||
        n == 0)
        throw std::invalid_argument("story_redundancy: the offsets do not fit the words");
    if (out.shape(0) != stories.size() - 1 || out.shape(1) != 2)
        throw std::invalid_argument("story_redundancy: out must be (stories, 2)");
    const nb::gil_scoped_release release;
    redundancy(view(words), view(sentences), view(stories), {n, pairs, threads}, view(out));
}

}  // namespace

void bind_story(nb::module_& m) {
    m.def("story_redundancy", &story_redundancy, nb::arg("words"), nb::arg("sentences"), nb::arg("stories"),
          nb::arg("n"), nb::arg("pairs"), nb::arg("threads"), nb::arg("out"),
          "Fills a row per story: mean Jaccard similarity of its sentences and of neighbouring n-grams "
          "(RoViST, section 3.3); NaN where there is no pair");
}
