#include "utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace storymeter {

std::u32string decode_utf8(std::string_view bytes) {
    std::u32string points;
    points.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size();) {
        const auto lead = static_cast<std::uint8_t>(bytes[i++]);
        if (lead < 0x80) {
            points.push_back(lead);
            continue;
        }
        const int more = lead >= 0xF0 && lead < 0xF5 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC2 ? 1 : 0;
        if (more == 0 || lead >= 0xF5) {
            points.push_back(kReplacement);
            continue;
        }
        char32_t point = lead & (0x3F >> more);
        int seen = 0;
        while (seen < more && i < bytes.size() && (static_cast<std::uint8_t>(bytes[i]) & 0xC0) == 0x80) {
            point = (point << 6) | (static_cast<std::uint8_t>(bytes[i++]) & 0x3F);
            ++seen;
        }
        const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
        const bool valid =
            seen == more && !overlong && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
        points.push_back(valid ? point : kReplacement);
    }
    return points;
}

void append_utf8(std::string& out, char32_t point) {
    const auto tail = [&](int shift) { out.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3F))); };
    if (point < 0x80) {
        out.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
        out.push_back(static_cast<char>(0xC0 | (point >> 6)));
        tail(0);
    } else if (point < 0x10000) {
        out.push_back(static_cast<char>(0xE0 | (point >> 12)));
        tail(6);
        tail(0);
    } else {
        out.push_back(static_cast<char>(0xF0 | (point >> 18)));
        tail(12);
        tail(6);
        tail(0);
    }
}

std::string encode_utf8(std::u32string_view points) {
    std::string out;
    out.reserve(points.size());
    for (const char32_t point : points) append_utf8(out, point);
    return out;
}

}  // namespace storymeter
