// Two properties of a JSON text that a decoder does not report: how deep it is nested, and whether an object
// may hold the same key twice.
#pragma once

#include <cstddef>
#include <string_view>

namespace storymeter {

struct JsonFacts {
    std::size_t depth = 0;
    // True where a key surely or possibly stands twice (equal hashes, or a key written with escapes). False
    // is certain.
    bool doubtful_keys = false;
};

// Never fails: on text that is not JSON the facts are meaningless but the scan is safe.
JsonFacts json_facts(std::string_view text);

}  // namespace storymeter
