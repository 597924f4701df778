#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "story/redundancy.hpp"

namespace nb = nanobind;

namespace {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> view(const Array<T>& array) {
    return {array.data(), array.size()};
}

bool climbs(std::span<const std::int64_t> offsets, std::size_t end) {
    if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(end))
        return false;
    for (std::size_t i = 1; i < offsets.size(); ++i)
        if (offsets[i] < offsets[i - 1]) return false;
    return true;
}

void story_redundancy(const Array<std::int32_t>& words, const Array<std::int64_t>& sentences,
                      const Array<std::int64_t>& stories, std::size_t n, bool pairs, int threads,
                      nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
    if (!climbs(view(sentences), words.size()) || !climbs(view(stories), sentences.size() - 1) || n == 0)
        throw std::invalid_argument("story_redundancy: the offsets do not fit the words");
    if (out.shape(0) != stories.size() - 1 || out.shape(1) != 2)
        throw std::invalid_argument("story_redundancy: out must be (stories, 2)");
    const nb::gil_scoped_release release;
    storymeter::redundancy(view(words), view(sentences), view(stories), {n, pairs, threads},
                           {out.data(), out.size()});
}

}  // namespace

void bind_story(nb::module_& m) {
    m.def("story_redundancy", &story_redundancy, nb::arg("words"), nb::arg("sentences"), nb::arg("stories"),
          nb::arg("n"), nb::arg("pairs"), nb::arg("threads"), nb::arg("out"));
}
