#include <nanobind/nanobind.h>

#include <utility>

#include "json/facts.hpp"

namespace nb = nanobind;

void bind_json(nb::module_& m) {
    m.def(
        "json_facts",
        [](nb::bytes data) {
            const std::string_view text(data.c_str(), data.size());
            storymeter::JsonFacts facts;
            {
                nb::gil_scoped_release release;
                facts = storymeter::json_facts(text);
            }
            return nb::make_tuple(facts.depth, facts.doubtful_keys);
        },
        nb::arg("data"), "(how deep a JSON text is nested, whether an object may hold a key twice)");
}
