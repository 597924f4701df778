// Quotes, brackets, dashes, dots, smileys and signs that stand alone.
#include <algorithm>
#include <string_view>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

std::size_t double_quote(const Text& t, std::size_t i) { return t.at(i) == '"' ? 1 : t.literal(i, "&quot;"); }

// The quote of n characters at i, written as `with`; an entity that is not in small letters stays one.
Match written_quote(const Text& t, std::size_t i, std::size_t n, std::size_t look, const char* with) {
    const bool shouted =
        n > 1 && !(t.at(i + 1) == 'q' && t.at(i + 2) == 'u' && t.at(i + 3) == 'o' && t.at(i + 4) == 't');
    return shouted ? ahead(n, look) : Match{n + look, n, Emit::kReplace, with};
}

constexpr std::string_view kEyes = "-^x=~<>'";

std::size_t bracketed_face(const Text& t, std::size_t i) {
    if (t.at(i) != '(') return 0;
    std::size_t best = 0;
    if (t.any_of(i + 1, kEyes)) {
        const std::size_t nose = t.any_of(i + 2, "_.") ? 1 : 0;
        if (t.any_of(i + 2 + nose, kEyes) && t.at(i + 3 + nose) == ')') best = 4 + nose;
        if (t.at(i + 1) != '-' && t.at(i + 2) == '-' && t.any_of(i + 3, "^x=~<>'`") && t.at(i + 4) == ')')
            best = 5;
    }
    return best;
}

}  // namespace

Match opening_quote(const Text& t, std::size_t i) {
    const std::size_t n = double_quote(t, i);
    return n != 0 && (t.is(i + n, kAlphanumeric) || t.at(i + n) == '$') ? written_quote(t, i, n, 1, "``")
                                                                        : Match{};
}

Match closing_quote(const Text& t, std::size_t i) {
    const std::size_t n = double_quote(t, i);
    return n != 0 ? written_quote(t, i, n, 0, "''") : Match{};
}

Match angle(const Text& t, std::size_t i) {
    if (t.any_of(i, "<>")) return whole(1);
    if (const std::size_t n = t.literal(i, "&lt;")) return replaced(n, "<");
    if (const std::size_t n = t.literal(i, "&gt;")) return replaced(n, ">");
    return {};
}

Match smiley(const Text& t, std::size_t i) {
    std::size_t at = i + (t.any_of(i, "<>") ? 1 : 0);
    if (!t.any_of(at, ":;=")) return {};
    ++at;
    const auto mouth = [&](std::size_t m) {
        return t.any_of(m, "()DPdpO\\{@|[]") && t.at(m + 1) >= 0 && !t.is(m + 1, kAlphanumeric);
    };
    if (t.any_of(at, "-o*'") && mouth(at + 1)) return ahead(at + 2 - i, 1, Emit::kBrackets);
    return mouth(at) ? ahead(at + 1 - i, 1, Emit::kBrackets) : Match{};
}

Match asian_smiley(const Text& t, std::size_t i) {
    if (t.any_of(i, kEyes) && t.at(i + 1) == '_' && t.any_of(i + 2, kEyes)) return whole(3, Emit::kBrackets);
    return whole(bracketed_face(t, i), Emit::kBrackets);
}

Match bracket(const Text& t, std::size_t i) {
    switch (t.at(i)) {
        case '(':
            return replaced(1, "-LRB-");
        case ')':
            return replaced(1, "-RRB-");
        case '[':
            return replaced(1, "-LSB-");
        case ']':
            return replaced(1, "-RSB-");
        case '{':
            return replaced(1, "-LCB-");
        case '}':
            return replaced(1, "-RCB-");
        default:
            return {};
    }
}

Match dashes(const Text& t, std::size_t i) {
    const std::size_t n = t.run_of(i, '-');
    return n == 3 || n == 4 ? replaced(n, "--") : whole(n);
}

// Three to five dots, bare or with single blanks between them.
Match dots(const Text& t, std::size_t i) {
    if (t.at(i) == 0x2026 || t.at(i) == 0x85) return replaced(1, "...");
    if (t.at(i) != '.') return {};
    const std::size_t bare =
        std::min<std::size_t>(t.at(i + 1) == '.' && t.at(i + 2) == '.'
                                  ? 3 + (t.at(i + 3) == '.' ? 1 + (t.at(i + 4) == '.' ? 1 : 0) : 0)
                                  : 0,
                              5);
    std::size_t spaced = 1;
    while (spaced < 5 && (t.at(i + 2 * spaced - 1) == ' ' || t.at(i + 2 * spaced - 1) == 0xA0) &&
           t.at(i + 2 * spaced) == '.')
        ++spaced;
    const std::size_t length = std::max(bare, spaced >= 3 ? 2 * spaced - 1 : 0);
    return length != 0 ? replaced(length, "...") : Match{};
}

Match repeated(const Text& t, std::size_t i) {
    switch (t.at(i)) {
        case '@':
        case '#':
        case '_':
        case '*':
            return whole(t.run_of(i, t.at(i)));
        case '?':
        case '!': {
            std::size_t n = 1;
            while (t.any_of(i + n, "?!")) ++n;
            return whole(n);
        }
        case ',':
        case ';':
        case ':':
        case '.':
        case '=':
        case '/':
            return whole(1);
        case '\\': {
            std::size_t n = 0;
            while (n < 6 && t.at(i + n) == '\\' && t.at(i + n + 1) == '*') n += 2;
            return whole(n);
        }
        default:
            return {};
    }
}

// ' before a letter and one more non-blank opens a quotation; the wide blanks of other scripts count as
// non-blank here.
Match opening_apostrophe(const Text& t, std::size_t i) {
    const bool opens = t.at(i) == '\'' && t.is(i + 1, kLetter) && t.at(i + 2) >= 0 && t.at(i + 2) != 0xA0 &&
                       !t.any_of(i + 2, " \t\r\n");
    return opens ? Match{3, 1, Emit::kReplace, "`"} : Match{};
}

Match apostrophes(const Text& t, std::size_t i) {
    if (t.at(i) == '\'' && t.at(i + 1) == '\'') return whole(2);
    return whole(t.apostrophe(i), Emit::kQuotes);
}

// One or two quotes of any kind but ' and ", each written in ASCII.
Match typographic_quotes(const Text& t, std::size_t i) {
    if (quote_as_ascii(t.at(i)) == nullptr) return {};
    return whole(quote_as_ascii(t.at(i + 1)) != nullptr ? 2 : 1, Emit::kQuotes);
}

Match any_sign(const Text& t, std::size_t i) {
    if (t.is(i, kSign)) return whole(1);
    std::size_t n = 0;
    while (is_raised_or_lowered(t.at(i + n))) ++n;
    return whole(n);
}

Match single_sign(const Text& t, std::size_t i) {
    const int unit = t.at(i);
    if ((unit == '<' || unit == '>') && t.at(i + 1) == unit) return whole(2);
    return t.any_of(i, "+%&~^|\\") ? whole(1) : Match{};
}

// A run of blanks is one match, so that a no-break space in it cannot begin a host name, as one alone can.
Match space(const Text& t, std::size_t i) {
    if (const std::size_t n = std::max(t.run(i, kBlank), t.newline(i))) return whole(n, Emit::kDrop);
    return whole(t.literal(i, "&nbsp;"), Emit::kDrop);
}

}  // namespace storymeter::ptb
