// How texts come in: what the original's wrapper does to a line before its words are read.
#pragma once

#include <string>
#include <string_view>

namespace storymeter::meteor {

inline constexpr std::string_view kSeparator = "|||";

// A candidate without `|||`, double blanks as single ones, each once from left to right. `buffer` holds the
// text where it had to change.
std::string_view clean_candidate(std::string_view text, std::string& buffer);

// body(part) for each of the references that `|||` separates, in order; there is always one.
template <typename Body>
void each_reference(std::string_view text, Body&& body) {
    for (;;) {
        const std::size_t at = text.find(kSeparator);
        body(text.substr(0, at));
        if (at == text.npos) return;
        text.remove_prefix(at + kSeparator.size());
    }
}

}  // namespace storymeter::meteor
