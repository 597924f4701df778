// The Python face of the kernels. One bind_*.cpp per kernel; each is declared and called here.
#include <nanobind/nanobind.h>

namespace nb = nanobind;
void bind_dense(nb::module_& m);
void bind_json(nb::module_& m);
void bind_meteor(nb::module_& m);
void bind_ngram(nb::module_& m);
void bind_ptb(nb::module_& m);
void bind_rewards(nb::module_& m);
void bind_stats(nb::module_& m);
void bind_story(nb::module_& m);
void bind_vectors(nb::module_& m);

NB_MODULE(_native, m) {
    m.doc() = "Storymeter's C++ kernels: batches in, arrays out, GIL released.";
    m.attr("abi") = 1;
    nb::set_leak_warnings(false);  // what a program still holds when it ends is no leak worth a message
    bind_dense(m);
    bind_json(m);
    bind_meteor(m);
    bind_ngram(m);
    bind_ptb(m);
    bind_rewards(m);
    bind_stats(m);
    bind_story(m);
    bind_vectors(m);
}
