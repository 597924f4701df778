#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "ptb/ptb.hpp"

namespace nb = nanobind;

void bind_ptb(nb::module_& m) {
    m.def(
        "ptb_tokenize",
        [](const nb::list& lines, bool punctuation, int threads, bool newline) {
            const nb::tuple held(lines);  // keeps the texts alive while other threads may change the list
            const auto views = nb::cast<std::vector<std::string_view>>(held);
            const nb::gil_scoped_release release;
            return storymeter::ptb_tokenize_batch(views, punctuation, threads, newline);
        },
        nb::arg("lines"), nb::arg("punctuation"), nb::arg("threads"), nb::arg("newline") = true,
        "PTB tokens of each line, lower-cased, joined by one blank.");
}
