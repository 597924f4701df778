// Abbreviations and acronyms: which dots belong to a word, and where such a word also ends a sentence.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "ascii_words.hpp"
#include "rules.hpp"

namespace storymeter::ptb {
namespace {

// Letters match in either case; a letter behind ! matches as written only.
// Months, days, states, companies, generations: a sentence may end with them (AB1).
constexpr std::string_view kClosing[] = {
    "jan",  "feb",     "mar",  "apr",  "jun",   "jul",   "aug",   "sep",   "sept",   "oct",    "nov",  "dec",
    "mon",  "tue",     "tues", "wed",  "thu",   "thurs", "fri",   "ala",   "ariz",   "calif",  "colo", "conn",
    "ct",   "dak",     "fla",  "ga",   "ind",   "kan",   "kans",  "ky",    "md",     "mich",   "minn", "mo",
    "mont", "neb",     "nev",  "okla", "penn",  "tenn",  "va",    "vt",    "wis",    "wisc",   "wyo",  "!Az",
    "!Ark", "!Del",    "!Ill", "!La",  "!Mass", "!Miss", "!Ore",  "!Pa",   "!Tex",   "!Wash",  "inc",  "co",
    "cos",  "corp",    "pt!y", "pt!e", "pt!ys", "pt!es", "ppt!y", "ppt!e", "ppt!ys", "ppt!es", "ltd",  "plc",
    "rt",   "bancorp", "bhd",  "assn", "univ",  "intl",  "sys",   "tel",   "est",    "ext",    "sq",   "jr",
    "sr",   "bros",    "blvd", "rd",   "ed.d",  "ph.d",  "esq",   "etc",   "al",     "seq",    "bldg",
};

// Titles and the like: a name follows (AB4).
constexpr std::string_view kOpening[] = {
    "mr",    "mrs",  "ms",    "dr",   "drs",    "prof", "profs", "sen",  "sens", "rep",   "reps",  "atty",
    "attys", "lt",   "col",   "gen",  "messrs", "gov",  "govs",  "adm",  "rev",  "maj",   "sgt",   "cpl",
    "pvt",   "capt", "st",    "ste",  "ave",    "pres", "lieut", "hon",  "brig", "cmdr",  "comdr", "pfc",
    "spc",   "supt", "supts", "det",  "mt",     "ft",   "adj",   "adv",  "asst", "assoc", "ens",   "insp",
    "mlle",  "mme",  "msgr",  "sfc",  "!Miss",  "vs",   "alex",  "wm",   "jos",  "cie",   "a.k.a", "cf",
    "treas", "ph",   "v",     "invt", "elec",   "natl", "m!fg",  "m!tg", "dept",
};

// Only before a number (AB3).
constexpr std::string_view kCounting[] = {"ca",  "fig", "figs", "prop", "no",
                                          "nos", "art", "bldg", "pp",   "op"};

// A capital word that begins a sentence. Letters behind the first match in either case.
constexpr std::string_view kSentenceWords[] = {
    "about", "according", "additionally", "after",   "an",    "a",     "as",    "at",    "but",   "earlier",
    "he",    "her",       "here",         "however", "if",    "in",    "it",    "last",  "many",  "more",
    "mr.",   "ms.",       "now",          "once",    "one",   "other", "our",   "she",   "since", "so",
    "some",  "such",      "that",         "the",     "their", "then",  "there", "these", "they",  "this",
    "we",    "when",      "while",        "what",    "yet",   "you",
};

std::size_t pattern(const Text& t, std::size_t i, std::string_view p) {
    std::size_t n = 0;
    for (std::size_t k = 0; k < p.size(); ++k, ++n) {
        const bool exact = p[k] == '!';
        if (exact) ++k;
        const int unit = t.at(i + n);
        if ((exact ? unit : folded(unit)) != p[k]) return 0;
    }
    return n;
}

// Patterns by first letter, so that a word is compared with a handful of them.
class Lexicon {
  public:
    template <std::size_t N>
    explicit Lexicon(const std::string_view (&patterns)[N]) {
        for (const std::string_view p : patterns) by_letter_[bucket(p[0] == '!' ? p[1] : p[0])].push_back(p);
    }
    // Length of the longest pattern with a dot behind it, dot included.
    std::size_t dotted(const Text& t, std::size_t i) const {
        std::size_t best = 0;
        each(t, i, [&](std::size_t n) {
            if (t.at(i + n) == '.') best = std::max(best, n + 1);
        });
        return best;
    }
    template <typename Visit>
    void each(const Text& t, std::size_t i, Visit&& visit) const {
        const int unit = folded(t.at(i));
        if (!is(unit, kLetter)) return;
        for (const std::string_view p : by_letter_[bucket(unit)]) {
            if (const std::size_t n = pattern(t, i, p)) visit(n);
        }
    }

  private:
    static std::size_t bucket(int letter) { return static_cast<std::size_t>(letter & 31); }
    std::array<std::vector<std::string_view>, 32> by_letter_;
};

// The words of all lists as numbers, in a hash table that is mostly empty.
class PackedWords {
  public:
    PackedWords() {
        add(kClosing);
        add(kOpening);
        add(kCounting);
    }
    bool hold(std::uint64_t word) const { return slots_[slot(word)] == word; }

  private:
    template <std::size_t N>
    void add(const std::string_view (&patterns)[N]) {
        for (const std::string_view p : patterns) {
            std::string letters(p);
            std::erase(letters, '!');
            if (letters.find('.') == std::string::npos)
                slots_[slot(packed(letters.data(), letters.size()))] = packed(letters.data(), letters.size());
        }
    }
    std::size_t slot(std::uint64_t word) const {
        std::size_t at = (word * 0x9E3779B97F4A7C15U) >> 54;
        while (slots_[at] != 0 && slots_[at] != word) at = (at + 1) % slots_.size();
        return at;
    }
    std::array<std::uint64_t, 1024> slots_ = {};
};

const Lexicon& closing() {
    static const Lexicon lexicon(kClosing);
    return lexicon;
}
const Lexicon& opening() {
    static const Lexicon lexicon(kOpening);
    return lexicon;
}
const Lexicon& counting() {
    static const Lexicon lexicon(kCounting);
    return lexicon;
}
const Lexicon& sentence_words() {
    static const Lexicon lexicon(kSentenceWords);
    return lexicon;
}

// ACR1/ACR2 that are more than single letters between dots.
std::size_t country_pair(const Text& t, std::size_t i) {
    for (const std::string_view name : {"canada-u.s", "sino-u.s", "korean-u.s", "eu-u.s", "japan-u.s",
                                        "non-u.s", "u.s.-u.k", "u.s.-u.s.s.r"}) {
        if (const std::size_t n = t.literal(i, name)) return n;
    }
    return 0;
}

// The number of single letters joined by dots at i, as many as there are.
std::size_t chain(const Text& t, std::size_t i) {
    if (!t.is(i, kLetter)) return 0;
    std::size_t letters = 1;
    while (t.at(i + 2 * letters - 1) == '.' && t.is(i + 2 * letters, kLetter)) ++letters;
    return letters;
}

// Longest look-ahead S+ (SENTWORD or TAG) S behind an acronym, or 0.
std::size_t sentence_start(const Text& t, std::size_t i) {
    std::size_t start = i;
    for (std::size_t n; (n = t.space(start)) != 0;) start += n;
    if (start == i) return 0;
    std::size_t best = 0;
    const auto offer = [&](std::size_t n) {
        if (const std::size_t after = t.space(start + n)) best = std::max(best, start + n + after - i);
    };
    if (t.is(start, kCapital)) sentence_words().each(t, start, offer);
    if (const std::size_t n = tag_length(t, start)) offer(n);
    return best;
}

}  // namespace

std::size_t dotted_letters(const Text& t, std::size_t i, std::size_t least) {
    std::size_t best = 0;
    if (std::size_t letters = chain(t, i)) {
        if (t.at(i + 2 * letters - 1) != '.') --letters;
        if (letters >= least) best = 2 * letters;
    }
    const std::size_t pair = country_pair(t, i);
    return pair != 0 && t.at(i + pair) == '.' ? std::max(best, pair + 1) : best;
}

bool is_listed(std::uint64_t packed) {
    static const PackedWords words;
    return words.hold(packed);
}

Match acronym_before_sentence(const Text& t, std::size_t i) {
    const std::size_t n = dotted_letters(t, i, 1);
    const std::size_t look = n != 0 ? sentence_start(t, i + n) : 0;
    if (look == 0) return {};
    if (n == 2) return ahead(1, look + 1);  // "I. We": the dot ends the sentence and is no part of the letter
    return ahead(n, look, Emit::kExtraDot);
}

Match abbreviation_before_number(const Text& t, std::size_t i) {
    const std::size_t n = counting().dotted(t, i);
    if (n == 0) return {};
    const std::size_t blank = t.space(i + n);
    return t.is(i + n + blank, kDigit) ? ahead(n, blank + 1) : Match{};
}

Match company_limited(const Text& t, std::size_t i) {
    for (const std::string_view name : {"pty.", "pte.", "co."}) {
        const std::size_t n = t.literal(i, name);
        if (n == 0 || !t.is(i + n, kBlank)) continue;
        if (t.literal(i + n + 1, "ltd") != 0 || t.literal(i + n + 1, "lim") != 0) return ahead(n, 4);
    }
    return {};
}

Match abbreviation_at_sentence_end(const Text& t, std::size_t i) {
    const std::size_t n = closing().dotted(t, i);
    const std::size_t blank = n != 0 ? t.space(i + n) : 0;
    if (blank == 0) return {};
    const std::size_t next = i + n + blank;
    const std::size_t more =
        std::max({t.space(next), std::size_t{t.is(next, kAnyCapital)}, tag_length(t, next)});
    return more != 0 ? ahead(n, blank + more, Emit::kExtraDot) : Match{};
}

Match abbreviation_inside(const Text& t, std::size_t i) {
    const std::size_t n = closing().dotted(t, i);
    return n != 0 && t.at(i + n + 1) >= 0 ? ahead(n, 2) : Match{};
}

Match abbreviation_at_end(const Text& t, std::size_t i) {
    return whole(closing().dotted(t, i), Emit::kExtraDot);
}

Match title(const Text& t, std::size_t i) {
    const std::size_t dotted = std::max(opening().dotted(t, i), dotted_letters(t, i, 1));
    const std::size_t letters = chain(t, i);
    const std::size_t bare = std::max(letters != 0 ? 2 * letters - 1 : 0, country_pair(t, i));
    const std::size_t blank = bare != 0 ? t.space(i + bare) : 0;
    return blank != 0 && bare + blank > dotted ? ahead(bare, blank) : whole(dotted);
}

}  // namespace storymeter::ptb
