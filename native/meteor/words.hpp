// Words as the original program compares them: by the 32-bit Java hash of their UTF-16 units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace storymeter::meteor {

std::u16string to_utf16(std::u32string_view points);

// Java's String.hashCode of a UTF-8 string: h = 31 h + unit.
std::uint32_t java_hash(std::u16string_view units);
std::uint32_t java_hash(std::string_view utf8);
std::string stem(std::string_view utf8);
// The hash of the word's stem.
std::uint32_t stem_hash(std::string_view utf8);

}  // namespace storymeter::meteor
