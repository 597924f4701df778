#include "ptb.hpp"

#include <algorithm>
#include <cstdint>

#include "ascii_words.hpp"
#include "common/parallel.hpp"
#include "common/utf8.hpp"
#include "rules.hpp"
#include "writer.hpp"

namespace storymeter {
namespace ptb {
namespace {

// With which characters a rule can begin; a cheap filter, no part of the meaning.
enum Start : unsigned {
    kL = 1 << 0,  // a letter of any script, a joining mark
    kD = 1 << 1,  // a digit
    kQ = 1 << 2,  // a quote of any kind but "
    kS = 1 << 3,  // a blank or a newline
    kE = 1 << 4,  // & (an entity may stand for a letter or an apostrophe)
    kP = 1 << 5,  // everything else
    kAny = 63,
};

struct Row {
    Rule rule;
    unsigned starts;
};

// Order is priority on equal length.
constexpr Row kRules[] = {
    {language_names, kL},
    {split_three, kL | kQ},
    {split_two, kL | kQ},
    {tag, kP},
    {dash_entity, kE | kP},
    {ampersand_entity, kE},
    {other_entity, kE},
    {word_before_auxiliary, kL | kE},
    {stem_before_not, kL},
    {plain_word, kL | kE},
    {apostrophe_word, kL | kQ | kE},
    {y_all, kL},
    {url, kL},
    {likely_url, kAny},
    {mail, kL | kD | kE | kP},
    {handle, kP},
    {hash_tag, kP},
    {auxiliary_alone, kQ | kE},
    {not_alone, kL},
    {date, kD},
    {number, kL | kD | kP},
    {fraction, kD},
    {odd_words, kL | kP},
    {slashed, kL | kD},
    {dollars, kL | kP},
    {written_out, kP},
    {acronym_before_sentence, kL},
    {abbreviation_before_number, kL},
    {company_limited, kL},
    {abbreviation_at_sentence_end, kL},
    {abbreviation_inside, kL},
    {abbreviation_at_end, kL},
    {title, kL},
    {short_year, kQ | kE},
    {file_name, kL | kD | kE},
    {word_dot_before_insertion, kL | kE},
    {phone, kD | kP},
    {opening_quote, kE | kP},
    {closing_quote, kE | kP},
    {angle, kE | kP},
    {smiley, kP},
    {asian_smiley, kL | kQ | kP},
    {bracket, kP},
    {dashes, kP},
    {dots, kP},
    {repeated, kP},
    {hyphenated_dot, kL | kD},
    {hyphenated, kL | kD},
    {thing_dot, kL | kD},
    {thing, kL | kD},
    {capitals_dot, kL},
    {capitals, kL},
    {opening_apostrophe, kQ},
    {auxiliary, kQ | kE},
    {apostrophes, kQ | kE},
    {typographic_quotes, kQ},
    {single_sign, kE | kP},
    {any_sign, kP},
    {space, kS | kE},
};

unsigned start_of(int unit) {
    const unsigned kind = kinds(unit);
    if (kind & kWordUnit) return kL;
    if (kind & kDigit) return kD;
    if (unit == '\'' || quote_as_ascii(unit) != nullptr) return kQ;
    if ((kind & (kBlank | kNewline)) && unit != 0x85) return kS;
    return unit == '&' ? kE : kP;
}

Match best_match(const Text& t, std::size_t i) {
    const unsigned start = start_of(t.at(i));
    Match best;
    for (const Row& row : kRules) {
        if ((row.starts & start) == 0) continue;
        const Match match = row.rule(t, i);
        if (match.total > best.total) best = match;
    }
    return best.total != 0 ? best : whole(1, Emit::kDrop);
}

bool is_ascii(std::string_view line) {
    unsigned char all = 0;
    for (const char c : line) all |= static_cast<unsigned char>(c);
    return all < 0x80;
}

// The line as UTF-16.
void read_utf16(std::string_view line, bool ascii, std::u16string& units) {
    units.clear();
    if (ascii) {
        units.assign(line.begin(), line.end());
    } else {
        for (const char32_t point : decode_utf8(line)) {
            if (point < 0x10000) {
                units.push_back(static_cast<char16_t>(point));
            } else {
                units.push_back(static_cast<char16_t>(0xD800 + ((point - 0x10000) >> 10)));
                units.push_back(static_cast<char16_t>(0xDC00 + ((point - 0x10000) & 0x3FF)));
            }
        }
    }
    std::replace(units.begin(), units.end(), u'\n', u' ');  // a caption is one line
}

// The token at i, by the rule table; gives the place behind it.
std::size_t table_token(const Text& t, std::u16string_view units, std::size_t i, Writer& out) {
    const Match match = best_match(t, i);
    if (match.emit == Emit::kReplace) {
        out.token(std::string_view(match.with));
    } else if (match.emit != Emit::kDrop) {
        out.token(units.substr(i, match.used), match.emit);
    }
    if (match.emit == Emit::kExtraDot) out.token(std::string_view("."));
    return i + match.used;
}

// Room that a thread uses for line after line.
struct Scratch {
    std::u16string units;
    std::string tokens;
};

void tokenize(std::string_view line, bool punctuation, bool shortcut, bool newline, Scratch& room) {
    room.tokens.clear();
    Writer out(room.tokens, punctuation);
    const bool ascii = is_ascii(line);
    std::size_t i = shortcut && ascii ? ascii_words(line.data(), line.size(), 0, out) : 0;
    if (i == line.size()) return;  // most lines need neither the rule table nor UTF-16
    read_utf16(line, ascii, room.units);
    const std::size_t size = room.units.size();
    if (newline) room.units.push_back('\n');
    const Text t(room.units);
    while (i < size) {
        if (shortcut) i = ascii_words(room.units.data(), size, i, out);
        if (i < size) i = table_token(t, room.units, i, out);
    }
}

}  // namespace
}  // namespace ptb

std::string ptb_tokenize(std::string_view line, bool punctuation) {
    ptb::Scratch room;
    ptb::tokenize(line, punctuation, true, true, room);
    return room.tokens;
}

std::string ptb_tokenize_by_table(std::string_view line, bool punctuation) {
    ptb::Scratch room;
    ptb::tokenize(line, punctuation, false, true, room);
    return room.tokens;
}

std::vector<std::string> ptb_tokenize_batch(const std::vector<std::string_view>& lines, bool punctuation,
                                            int threads, bool newline) {
    std::vector<std::string> tokens(lines.size());
    parallel_blocks(lines.size(), 256, threads, [&](std::size_t begin, std::size_t end, int) {
        ptb::Scratch room;
        for (std::size_t i = begin; i < end; ++i) {
            ptb::tokenize(lines[i], punctuation, newline, newline, room);
            tokens[i] = room.tokens;
        }
    });
    return tokens;
}

}  // namespace storymeter
