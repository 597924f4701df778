#include "ptb_chars.hpp"

#include <string_view>

namespace storymeter::ptb {

CharTable::CharTable() {
    const auto add = [this](int first, int last, unsigned kind) {
        for (int unit = first; unit <= last; ++unit) flags[unit] = static_cast<std::uint16_t>(flags[unit] | kind);
    };
    const auto drop = [this](int unit, unsigned kind) { flags[unit] = static_cast<std::uint16_t>(flags[unit] & ~kind); };

    add(0, 0xFFFF, kUrl | kHost);
    for (const char unit : std::string_view(" \t\n\r\v\f\"<>|(){}")) drop(unit, kUrl | kHost);
    for (const char unit : std::string_view("'`!$")) drop(unit, kHost);
    for (int unit = ','; unit <= '_'; ++unit) drop(unit, kHost);

    add('a', 'z', kLetter | kThing | kAsciiWord);
    add('A', 'Z', kLetter | kThing | kAsciiWord | kCapital);
    add('0', '9', kDigit | kThing | kAsciiWord);
    add(0xC0, 0x1FFF, kLetter | kThing);
    add(0x3040, 0xD7FF, kLetter | kThing);
    for (const int unit : {0x20, 0x09, 0xA0}) flags[unit] = kBlank;
    for (const int unit : {0x0A, 0x0D, 0x0B, 0x0C, 0x85, 0x2028, 0x2029}) flags[unit] = kNewline;
    add('\'', '\'', kApostrophe);
    add(0x2019, 0x2019, kApostrophe);
}

const CharTable kCharTable;

}  // namespace storymeter::ptb
