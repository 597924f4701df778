#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ptb.hpp"

namespace nb = nanobind;

void bind_ptb(nb::module_& m) {
    m.def("ptb_tokenize", &storymeter::ptb_tokenize_batch, nb::arg("lines"), nb::arg("punctuation"), nb::arg("threads"),
          nb::call_guard<nb::gil_scoped_release>(), "PTB tokens of each line, lower-cased, joined by one blank.");
}
