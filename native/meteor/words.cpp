#include "words.hpp"

#include "common/utf8.hpp"
#include "porter2.hpp"

namespace storymeter::meteor {

std::u16string to_utf16(std::u32string_view points) {
    std::u16string units;
    units.reserve(points.size());
    for (char32_t point : points) {
        if (point < 0x10000) {
            units.push_back(static_cast<char16_t>(point));
        } else {
            point -= 0x10000;
            units.push_back(static_cast<char16_t>(0xD800 + (point >> 10)));
            units.push_back(static_cast<char16_t>(0xDC00 + (point & 0x3FF)));
        }
    }
    return units;
}

std::uint32_t java_hash(std::u16string_view units) {
    std::uint32_t hash = 0;
    for (const char16_t unit : units) hash = 31 * hash + unit;
    return hash;
}

std::uint32_t java_hash(std::string_view utf8) {
    std::uint32_t hash = 0;
    for (const char c : utf8) {
        if (static_cast<unsigned char>(c) >= 0x80) return java_hash(to_utf16(decode_utf8(utf8)));
        hash = 31 * hash + static_cast<unsigned char>(c);
    }
    return hash;
}

std::string stem(std::string_view utf8) {
    const std::u16string units = porter2(to_utf16(decode_utf8(utf8)));
    std::u32string points;
    for (std::size_t k = 0; k < units.size(); ++k) {
        const char16_t unit = units[k];
        const bool pair = unit >= 0xD800 && unit < 0xDC00 && k + 1 < units.size();
        points.push_back(pair ? 0x10000 + ((unit - 0xD800u) << 10) + (units[k + 1] - 0xDC00u) : unit);
        k += pair;
    }
    return encode_utf8(points);
}

std::uint32_t stem_hash(std::string_view utf8) { return java_hash(porter2(to_utf16(decode_utf8(utf8)))); }

}  // namespace storymeter::meteor
