// UTF-8 to code points and back. Malformed bytes become U+FFFD, so every byte string has a defined reading.
#pragma once

#include <string>
#include <string_view>

namespace storymeter {

inline constexpr char32_t kReplacement = 0xFFFD;

std::u32string decode_utf8(std::string_view bytes);
void append_utf8(std::string& out, char32_t point);
std::string encode_utf8(std::u32string_view points);

}  // namespace storymeter
