#include "ptb.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "parallel.hpp"
#include "ptb_rules.hpp"
#include "ptb_writer.hpp"
#include "utf8.hpp"

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
    {file_name, kL | kD},
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

bool is_split_word(const Text& t, std::size_t i) { return split_three(t, i).total != 0 || split_two(t, i).total != 0; }

// A shortcut for most of English, with the result that the table would give. ASCII letters are one WORD, and no rule can
// match more, when a blank follows, or one of ,;:?! and a blank, or a dot and a blank behind a word that is no abbreviation;
// except the split words (cannot, gonna…), all of five or six letters. A comma or a dot before a blank stands alone, unless
// the dot begins ". . .".
std::size_t easy_token(const Text& t, std::size_t i) {
    const std::size_t n = t.run(i, kLetter, 64);
    const int next = t.at(i + n);
    if (n == 0) {
        if ((next != '.' && next != ',') || !t.any_of(i + 1, " \n")) return 0;
        return next == ',' || t.at(i + 2) != '.' ? 1 : 0;
    }
    if ((n == 5 || n == 6) && is_split_word(t, i)) return 0;
    if (next == ' ') return n;
    if (!t.any_of(i + n + 1, " \n")) return 0;
    if (next == '.') return n > 1 && !is_abbreviation(t, i) ? n : 0;
    return t.any_of(i + n, ",;:?!") ? n : 0;
}

std::u16string utf16(std::string_view line) {
    std::u16string units;
    units.reserve(line.size() + 1);
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::all_of(line.begin(), line.end(), ascii)) {
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
    units.push_back('\n');
    return units;
}

void tokenize(std::u16string_view units, bool shortcut, Writer& out) {
    const Text t(units);
    for (std::size_t i = 0; i < units.size();) {
        if (shortcut && units[i] == ' ') {
            ++i;
            continue;
        }
        if (const std::size_t n = shortcut ? easy_token(t, i) : 0) {
            out.plain(units.substr(i, n));
            i += n;
            continue;
        }
        const Match match = best_match(t, i);
        const std::u16string_view text = units.substr(i, match.used);
        if (match.emit == Emit::kReplace) {
            out.token(std::string_view(match.with));
        } else if (match.emit != Emit::kDrop) {
            out.token(text, match.emit);
        }
        if (match.emit == Emit::kExtraDot) out.token(std::string_view("."));
        i += match.used;
    }
}

std::string tokens_of(std::string_view line, bool punctuation, bool shortcut) {
    std::string tokens;
    tokens.reserve(line.size() + line.size() / 8);
    Writer writer(tokens, punctuation);
    const std::u16string units = utf16(line);
    tokenize(units, shortcut, writer);
    return tokens;
}

}  // namespace
}  // namespace ptb

std::string ptb_tokenize(std::string_view line, bool punctuation) { return ptb::tokens_of(line, punctuation, true); }

std::string ptb_tokenize_by_table(std::string_view line, bool punctuation) { return ptb::tokens_of(line, punctuation, false); }

std::vector<std::string> ptb_tokenize_batch(const std::vector<std::string>& lines, bool punctuation, int threads) {
    std::vector<std::string> tokens(lines.size());
    parallel_blocks(lines.size(), 256, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t i = begin; i < end; ++i) tokens[i] = ptb_tokenize(lines[i], punctuation);
    });
    return tokens;
}

}  // namespace storymeter
