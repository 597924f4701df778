// The character classes of the PTB rules, for each UTF-16 code unit.
#pragma once

#include <cstdint>

namespace storymeter::ptb {

enum Kind : std::uint16_t {
    kLetter = 1 << 0,        // L: A-Z a-z
    kDigit = 1 << 1,         // D: decimal digits of any script
    kAlphanumeric = 1 << 2,  // AN: A-Z a-z 0-9
    kCapital = 1 << 3,       // A-Z, for the case-sensitive classes
    kAnyCapital = 1 << 4,    // a capital of any script
    kAnyLetter = 1 << 5,     // a letter of any script
    kWordUnit = 1 << 6,  // LET without entities: letters of any script, marks that join them, the soft hyphen
    kThingUnit = 1 << 7,  // what THING is made of: letters and digits of any script
    kBlank = 1 << 8,      // SP
    kNewline = 1 << 9,    // NL: ends a line for look-ahead
    kUrl = 1 << 10,       // may stand in http://…
    kMail = 1 << 11,      // may stand in an e-mail address
    kHost = 1 << 12,      // may stand in a host name without www
    kWww = 1 << 13,       // may stand in a host name behind www
    kPath = 1 << 14,      // may stand in the path of a likely URL
    kSign = 1 << 15,      // is a token of its own
};

inline constexpr char16_t kSoftHyphen = 0xAD;

struct CharTable {
    CharTable();
    std::uint16_t flags[0x10000] = {};
};
extern const CharTable kCharTable;

// The flags of one code unit; 0 for the end of the text (-1).
inline std::uint16_t kinds(int unit) { return unit < 0 ? 0 : kCharTable.flags[unit]; }
inline bool is(int unit, unsigned wanted) { return (kinds(unit) & wanted) != 0; }

// The small ASCII letter that a literal of the rules takes this unit for: besides A-Z, the long s, the Kelvin
// sign, ı and İ.
inline int folded(int unit) {
    if (unit >= 'A' && unit <= 'Z') return unit + 32;
    if (unit < 0x130) return unit;
    return unit == 0x17F ? 's' : unit == 0x212A ? 'k' : unit == 0x130 || unit == 0x131 ? 'i' : unit;
}

// ' ’ and the ’ of Windows-1252 read as Latin-1.
inline bool is_apostrophe(int unit) { return unit == '\'' || unit == 0x2019 || unit == 0x92; }
// ` ‘ ‛ and the ‘ of Windows-1252.
inline bool is_tick(int unit) { return unit == '`' || unit == 0x2018 || unit == 0x201B || unit == 0x91; }
bool is_raised_or_lowered(int unit);

// What a typographic quote is written as; null for other characters. The low quotes „ ‚ ‟ stay as they are
// ("").
const char* quote_as_ascii(int unit);

}  // namespace storymeter::ptb
