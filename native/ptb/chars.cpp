#include "chars.hpp"

#include <string_view>

#include "unicode.hpp"

namespace storymeter::ptb {

CharTable::CharTable() {
    const auto add = [this](int first, int last, unsigned kind) {
        for (int unit = first; unit <= last; ++unit)
            flags[unit] = static_cast<std::uint16_t>(flags[unit] | kind);
    };
    const auto drop = [this](std::string_view units, unsigned kind) {
        for (const char unit : units)
            flags[static_cast<int>(unit)] = static_cast<std::uint16_t>(flags[static_cast<int>(unit)] & ~kind);
    };

    add(0, 0xFFFF, kUrl | kMail | kHost | kWww | kPath);
    drop(" \t\n\r\f\"<>|()", kUrl | kMail | kHost | kWww | kPath);
    drop("{}", kUrl | kMail | kHost | kWww);
    drop("!,.?", kWww);
    drop("'`!$,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_", kHost);
    flags[0xA0] = static_cast<std::uint16_t>(flags[0xA0] & ~kMail);

    constexpr unsigned kAnyWord = kWordUnit | kThingUnit;
    add('a', 'z', kLetter | kAlphanumeric | kAnyLetter | kAnyWord);
    add('A', 'Z', kLetter | kAlphanumeric | kAnyLetter | kAnyWord | kCapital | kAnyCapital);
    add('0', '9', kDigit | kAlphanumeric | kThingUnit);
    add(kSoftHyphen, kSoftHyphen, kWordUnit);
    for (const Range& r : kLetterRanges) add(r.first, r.last, kAnyLetter | kAnyWord);
    for (const Range& r : kJoiningRanges) add(r.first, r.last, kWordUnit);
    for (const Range& r : kDigitRanges) add(r.first, r.last, kDigit | kThingUnit);
    for (const Range& r : kCapitalRanges) add(r.first, r.last, kAnyCapital);
    for (const Range& r : kSignRanges) add(r.first, r.last, kSign);

    for (const int unit : {0x20, 0x09, 0xA0, 0x3000}) add(unit, unit, kBlank);
    add(0x2000, 0x200A, kBlank);
    for (const int unit : {0x0A, 0x0D, 0x0B, 0x0C, 0x85, 0x2028, 0x2029}) add(unit, unit, kNewline);
}

const CharTable kCharTable;

bool is_raised_or_lowered(int unit) { return within(kScriptRanges, unit); }

const char* quote_as_ascii(int unit) {
    switch (unit) {
        case '`':
        case 0x91:
        case 0x2018:
        case 0x201B:
        case 0x2039:
            return "`";
        case 0x92:
        case 0x2019:
        case 0x203A:
            return "'";
        case 0x93:
        case 0xAB:
        case 0x201C:
            return "``";
        case 0x94:
        case 0xBB:
        case 0x201D:
            return "''";
        case 0x201A:
        case 0x201E:
        case 0x201F:
            return "";
        default:
            return nullptr;
    }
}

}  // namespace storymeter::ptb
