// Where texts are cut into words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace storymeter {

// The white space at which Python's str.split() cuts: length in bytes of the white-space character at `at`,
// or 0.
inline std::size_t white_space(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) {
        return at + k < text.size() ? static_cast<std::uint8_t>(text[at + k]) : 0;
    };
    const int a = byte(0);
    if (a == 0x20 || (a >= 0x09 && a <= 0x0D) || (a >= 0x1C && a <= 0x1F)) return 1;
    if (a < 0xC2) return 0;
    const int b = byte(1);
    if (a == 0xC2) return b == 0x85 || b == 0xA0 ? 2 : 0;
    const int c = byte(2);
    if (a == 0xE1) return b == 0x9A && c == 0x80 ? 3 : 0;
    if (a == 0xE2 && b == 0x80)
        return (c >= 0x80 && c <= 0x8A) || c == 0xA8 || c == 0xA9 || c == 0xAF ? 3 : 0;
    if (a == 0xE2 && b == 0x81) return c == 0x9F ? 3 : 0;
    return a == 0xE3 && b == 0x80 && c == 0x80 ? 3 : 0;
}

template <typename Take>
void cut_at_white_space(std::string_view text, Take&& take) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t blank = white_space(text, i);
        if (blank == 0) {
            ++i;
            continue;
        }
        if (i > begin) take(text.substr(begin, i - begin));
        begin = i += blank;
    }
    if (begin < text.size()) take(text.substr(begin));
}

}  // namespace storymeter
