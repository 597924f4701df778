// What kind of character a UTF-16 code unit is, in the eyes of the PTB rules.
#pragma once

#include <cstdint>

namespace storymeter::ptb {

enum Kind : std::uint16_t {
    kLetter = 1 << 0,      // L: a letter of any script, or a mark that joins one
    kDigit = 1 << 1,       // D
    kCapital = 1 << 2,     // A-Z, for the case-sensitive classes
    kBlank = 1 << 3,       // SP: blank, tab, no-break space
    kNewline = 1 << 4,     // NL: ends a line for look-ahead
    kUrl = 1 << 5,         // may stand in a URL and after the @ of an e-mail address
    kHost = 1 << 6,        // may stand in the host name of a likely URL
    kAsciiWord = 1 << 7,   // A-Z a-z 0-9
    kApostrophe = 1 << 8,  // ' and its typographic twin
    kThing = 1 << 9,       // AN: what hyphenated words are made of
};

struct CharTable {
    CharTable();
    std::uint16_t flags[0x10000] = {};
};
extern const CharTable kCharTable;

// The flags of one code unit; 0 for the end of the text (-1).
inline std::uint16_t kinds(int unit) { return unit < 0 ? 0 : kCharTable.flags[unit]; }
inline bool is(int unit, unsigned wanted) { return (kinds(unit) & wanted) != 0; }

}  // namespace storymeter::ptb
