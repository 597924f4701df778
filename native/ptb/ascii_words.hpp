// A shortcut for plain ASCII words, which are most of English text. It gives what the rule table would give
// (the fuzz program compares the two).
//
// ASCII letters are one WORD, and no rule can match more, when white space or the end follows, or one of
// ,;:?! and then white space, or a dot and then white space behind a word that is in no list of
// abbreviations; except the split words (cannot, gonna…). A comma or a dot before white space stands alone,
// unless the dot begins ". . .".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rules.hpp"
#include "writer.hpp"

namespace storymeter::ptb {

inline constexpr std::size_t kLongestAsciiWord = 64;

// Up to eight ASCII letters as one number, whatever their case.
template <typename Unit>
constexpr std::uint64_t packed(const Unit* word, std::size_t n) {
    std::uint64_t number = 0;
    for (std::size_t k = 0; k < n; ++k) number = number << 8 | static_cast<std::uint64_t>(word[k] | 32);
    return number;
}

template <typename Unit>
bool is_split_word(const Unit* word, std::size_t n) {
    if (n < 5 || n > 6 || (word[2] | 32) != (word[3] | 32))
        return false;  // they all double their third letter
    const std::uint64_t number = packed(word, n);
    return number == packed("cannot", 6) || number == packed("gonna", 5) || number == packed("gotta", 5) ||
           number == packed("lemme", 5) || number == packed("gimme", 5) || number == packed("wanna", 5);
}

// Reads tokens that this shortcut covers from `i` on, writes them, and returns the place of the first one
// that it leaves to the rule table, or `size`. Units are the bytes of an ASCII line, or UTF-16.
template <typename Unit>
std::size_t ascii_words(const Unit* units, std::size_t size, std::size_t i, Writer& out) {
    const auto is_letter = [](Unit unit) { return static_cast<std::uint32_t>((unit | 32) - 'a') < 26; };
    const auto space = [&](std::size_t at) { return at >= size || units[at] == ' ' || units[at] == '\n'; };
    while (i < size) {
        const Unit* word = units + i;
        const std::size_t most = std::min(kLongestAsciiWord, size - i);
        std::size_t n = 0;
        while (n < most && is_letter(word[n])) ++n;
        const Unit next = i + n < size ? word[n] : Unit{' '};
        if (n == 0) {
            if (space(i)) {
                if (i + 1 < size && (word[1] == '\t' || word[1] > 127))
                    return i;  // perhaps a run of blanks, which is one match
                ++i;
                continue;
            }
            if ((next != '.' && next != ',') || !space(i + 1)) return i;
            if (next == '.' && i + 2 < size && word[2] == '.') return i;
            out.sign(static_cast<char>(next));
            ++i;
            continue;
        }
        if (!space(i + n)) {
            if (next == '.') {
                if (n == 1 || (n <= 8 && is_listed(packed(word, n)))) return i;
            } else if (next != ',' && next != ';' && next != ':' && next != '?' && next != '!') {
                return i;
            }
            if (!space(i + n + 1)) return i;
        }
        if (is_split_word(word, n)) return i;
        out.word(word, n);
        i += n;
    }
    return i;
}

}  // namespace storymeter::ptb
