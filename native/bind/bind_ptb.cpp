#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ptb.hpp"

namespace nb = nanobind;

void bind_ptb(nb::module_& m) {
    m.def(
        "ptb_tokenize",
        [](const std::vector<std::string>& lines, bool punctuation, int threads) {
            const nb::gil_scoped_release release;
            return storymeter::ptb_tokenize_batch(lines, punctuation, threads);
        },
        nb::arg("lines"), nb::arg("punctuation"), nb::arg("threads"), "PTB tokens of each line, lower-cased, joined by one blank.");
}
