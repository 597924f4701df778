// Which of its two small forms a capital sigma gets. The original leaves that to Java, which cuts the token
// into words: letters with their marks, digits and invisible signs; one . - _ ' or dash between two letters;
// one . or , between two digits. Each Han or kana letter is a word of its own.
#include "unicode.hpp"
#include "writer.hpp"

namespace storymeter::ptb {
namespace {

using Units = std::u16string_view;

constexpr char16_t kIotaBelow = 0x345;  // the one mark that counts as a small letter

int at(Units units, std::size_t i) { return i < units.size() ? units[i] : -1; }

bool is_letter(int unit) { return is(unit, kAnyLetter) && !within(kIdeographRanges, unit); }

bool is_mark(int unit) {
    return unit == 0x200D || (is(unit, kWordUnit) && !is(unit, kAnyLetter) && unit != kSoftHyphen &&
                              !within(kModifierSigns, unit));
}

bool is_joint(int unit) {
    return unit == '.' || unit == '-' || unit == '_' || unit == '\'' || unit == 0x58A ||
           (unit >= 0x2010 && unit <= 0x2015) || unit == 0x2027;
}

// A character of this kind, perhaps with marks on it, stands before i.
bool follows(Units units, std::size_t i, unsigned kind) {
    std::size_t before = i - 1;
    while (is_mark(at(units, before))) --before;
    return is(at(units, before), kind) && !within(kIdeographRanges, at(units, before));
}

bool in_word(Units units, std::size_t i) {
    const int unit = units[i];
    if (is_letter(unit) || is(unit, kDigit) || is_mark(unit) || unit == kSoftHyphen ||
        (unit >= 0x200B && unit <= 0x200F) || unit == 0xFEFF)
        return true;
    if (is_raised_or_lowered(unit) || (unit >= 0xBC && unit <= 0xBE) || within(kCasedRanges, unit))
        return true;
    if ((unit == '.' || unit == ',') && is(at(units, i - 1), kDigit) && is(at(units, i + 1), kDigit))
        return true;
    return is_joint(unit) && is_letter(at(units, i + 1)) && follows(units, i, kAnyLetter);
}

// Whether a cased letter is found going from `i` by steps of `step`, before the word ends.
bool finds_cased(Units units, std::size_t i, std::size_t step) {
    for (; i < units.size() && in_word(units, i); i += step) {
        if (units[i] == kIotaBelow)
            return follows(units, i, kAnyLetter | kDigit);  // without a base it stands alone
        if (within(kCasedRanges, units[i])) return true;
    }
    return false;
}

}  // namespace

bool is_final_sigma(Units units, std::size_t i) {
    return finds_cased(units, i - 1, static_cast<std::size_t>(-1)) && !finds_cased(units, i + 1, 1);
}

}  // namespace storymeter::ptb
