#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ptb/ptb.hpp"
#include "texts.hpp"

namespace nb = nanobind;

void bind_ptb(nb::module_& m) {
    m.def(
        "ptb_tokenize",
        [](const nb::list& lines, bool punctuation, int threads, bool newline) {
            const storymeter::Texts texts(lines);
            const nb::gil_scoped_release release;
            return storymeter::ptb_tokenize_batch(texts.views(), punctuation, threads, newline);
        },
        nb::arg("lines"), nb::arg("punctuation"), nb::arg("threads"), nb::arg("newline") = true,
        "PTB tokens of each line, lower-cased, joined by one blank.");
}
