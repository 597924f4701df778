#include "normalize.hpp"

#include <algorithm>
#include <array>

#include "common/utf8.hpp"
#include "lower.hpp"
#include "words.hpp"

namespace storymeter::meteor {
namespace {

using Text = std::u32string;

bool digit(char32_t c) { return c >= '0' && c <= '9'; }

bool alpha(char32_t c) {
    if (c < 0x80) return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return (c >= 0xC0 && c <= 0x17E && c != 0xD7 && c != 0xF7) || (c >= 0x400 && c <= 0x527) ||
           (c >= 0xA640 && c <= 0xA66E) || (c >= 0xA67E && c <= 0xA697) || (c >= 0x1D00 && c <= 0x1D7F);
}

bool alnum(char32_t c) { return alpha(c) || digit(c); }
bool white(char32_t c) { return c == ' ' || (c >= 9 && c <= 13); }
bool separator(char32_t c) { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'; }

// One left-to-right pass over X mark Y: where left(X) and right(Y) hold, `with` takes the place of the mark;
// the scan goes on behind Y, so that Y cannot be the X of the next match.
template <typename Left, typename Right>
void between(Text& text, char32_t mark, Left left, Right right, std::u32string_view with) {
    if (text.find(mark) == Text::npos) return;
    Text out;
    out.reserve(text.size() + 16);
    std::size_t k = 0;
    while (k < text.size()) {
        if (k + 2 < text.size() && text[k + 1] == mark && left(text[k]) && right(text[k + 2])) {
            out.push_back(text[k]);
            out.append(with);
            out.push_back(text[k + 2]);
            k += 3;
        } else {
            out.push_back(text[k++]);
        }
    }
    text.swap(out);
}

void replace_all(Text& text, std::u32string_view what, std::u32string_view with) {
    std::size_t at = text.find(what);
    if (at == Text::npos) return;
    Text out;
    std::size_t from = 0;
    for (; at != Text::npos; at = text.find(what, from)) {
        out.append(text, from, at - from).append(with);
        from = at + what.size();
    }
    text.swap(out.append(text, from));
}

Text isolate(const Text& line) {
    Text out = U" ";
    out.reserve(line.size() + 16);
    for (const char32_t c : line) {
        const bool stays = alnum(c) || white(c) || c == '.' || c == '\'' || c == '`' || c == ',' ||
                           c == '-' || c == 0x2018 || c == 0x2019;
        if (!stays) out.push_back(' ');
        out.push_back(c);
        if (!stays) out.push_back(' ');
    }
    out.push_back(' ');
    return out;
}

// Runs of dots hide as capital words until the end: `..` is DOTDOTMULTI, `...` is DOTDOTDOTMULTI.
// A DOTMULTI that the text itself holds takes part, as in the original.
void hide_dots(Text& text) {
    constexpr std::u32string_view word = U"DOTMULTI";
    if (text.find(U"..") == Text::npos && text.find(word) == Text::npos) return;
    const auto dots_at = [](const Text& t, std::size_t k) {
        std::size_t end = k;
        while (end < t.size() && t[end] == '.') ++end;
        return end - k;
    };
    Text marked, out;
    for (std::size_t k = 0; k < text.size();) {
        const std::size_t dots = dots_at(text, k);
        if (dots >= 2) {
            marked.append(U" DOTMULTI").append(dots - 1, U'.');
            k += dots;
        } else {
            marked.push_back(text[k++]);
        }
    }
    for (std::size_t k = 0; k < marked.size();) {
        const bool here = std::u32string_view(marked).substr(k).starts_with(word);
        const std::size_t dots = here ? dots_at(marked, k + word.size()) : 0;
        if (dots == 0) {
            out.push_back(marked[k++]);
            continue;
        }
        for (std::size_t d = 0; d < dots; ++d) out.append(U"DOT");
        out.append(word).push_back(' ');
        k += word.size() + dots;
    }
    text.swap(out);
}

void show_dots(Text& text) {
    if (text.find(U"DOTMULTI") == Text::npos) return;
    Text out;
    for (std::size_t k = 0; k < text.size();) {
        const std::u32string_view rest = std::u32string_view(text).substr(k);
        std::size_t words = 0;
        while (rest.substr(3 * words).starts_with(U"DOT")) ++words;
        if (words == 0) {
            out.push_back(text[k++]);
        } else if (rest.substr(3 * words).starts_with(U"MULTI")) {
            out.append(words, U'.');
            k += 3 * words + 5;
        } else {
            out.append(rest.substr(0, 3 * words));
            k += 3 * words;
        }
    }
    text.swap(out);
}

void punctuation(Text& text) {
    const auto any_but_digit = [](char32_t c) { return !digit(c); };
    between(text, ',', any_but_digit, any_but_digit, U" , ");
    between(text, ',', digit, any_but_digit, U" , ");
    between(text, ',', any_but_digit, digit, U" , ");
    for (auto& c : text) {
        if (c == '`' || c == 0x2018 || c == 0x2019) c = '\'';
    }
    replace_all(text, U"\u201C", U" \" ");
    replace_all(text, U"\u201D", U" \" ");
    replace_all(text, U"''", U" \" ");
    std::replace(text.begin(), text.end(), char32_t{0x2013}, char32_t{'-'});
    replace_all(text, U"--", U"-");
    between(text, '-', [](char32_t c) { return alnum(c) || c == '.'; }, alnum, U" ");
    const auto not_alpha = [](char32_t c) { return !alpha(c); };
    between(text, '\'', not_alpha, not_alpha, U" ' ");
    between(text, '\'', [](char32_t c) { return !alnum(c); }, alpha, U" ' ");
    between(text, '\'', alpha, not_alpha, U" ' ");
    between(text, '\'', alpha, alpha, U" '");
    between(text, '\'', digit, [](char32_t c) { return c == 's'; }, U" '");
}

using Token32 = std::u32string_view;

void full_stop(Token32 word, Token32 next, const PrefixList& prefixes, Text& out) {
    if (word.size() < 2 || word.back() != '.') {
        out.append(word);
        return;
    }
    const Token32 stem = word.substr(0, word.size() - 1);
    if (stem.find(U'.') != Token32::npos && std::any_of(stem.begin(), stem.end(), alpha)) {
        std::copy_if(word.begin(), word.end(), std::back_inserter(out), [](char32_t c) { return c != '.'; });
        return;
    }
    const Prefix kind = prefixes.prefix(encode_utf8(stem));
    const char32_t follows = next.empty() ? U'\0' : next.front();
    const bool keep = kind == Prefix::always || (follows >= 'a' && follows <= 'z') ||
                      (kind == Prefix::numeric && digit(follows));
    out.append(keep ? word : stem);
    if (!keep) out.append(U" .");
}

Text full_stops(const Text& text, const PrefixList& prefixes) {
    std::vector<Token32> words;
    for (std::size_t k = 0; k < text.size();) {
        while (k < text.size() && separator(text[k])) ++k;
        std::size_t end = k;
        while (end < text.size() && !separator(text[end])) ++end;
        if (end > k) words.push_back(Token32(text).substr(k, end - k));
        k = end;
    }
    Text out;
    out.reserve(text.size());
    for (std::size_t k = 0; k < words.size(); ++k) {
        if (k) out.push_back(' ');
        full_stop(words[k], k + 1 < words.size() ? words[k + 1] : Token32(), prefixes, out);
    }
    return out;
}

bool wide_blank(char32_t c) {
    return c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace

std::string normalize(std::string_view line, const PrefixList& prefixes) {
    Text text = isolate(decode_utf8(line));
    hide_dots(text);
    punctuation(text);
    text = full_stops(text, prefixes);
    show_dots(text);
    Text out;
    out.reserve(text.size());
    for (const char32_t c : text) append_lower(out, wide_blank(c) ? U' ' : c);
    return encode_utf8(out);
}

std::string_view trim(std::string_view line) {
    while (!line.empty() && static_cast<unsigned char>(line.front()) <= 0x20) line.remove_prefix(1);
    while (!line.empty() && static_cast<unsigned char>(line.back()) <= 0x20) line.remove_suffix(1);
    return line;
}

void split_words(std::string_view text, std::vector<Token>& words) {
    words.clear();
    const std::string_view line = trim(text);
    for (const char *at = line.data(), *const end = at + line.size(); at < end;) {
        while (at < end && separator(static_cast<unsigned char>(*at))) ++at;
        const char* const begin = at;
        while (at < end && !separator(static_cast<unsigned char>(*at))) ++at;
        if (at == begin) continue;
        const auto size = static_cast<std::uint32_t>(at - begin);
        words.push_back({static_cast<std::uint32_t>(begin - text.data()), size, java_hash({begin, size})});
    }
}

namespace {

// Letters and digits in lower case, the blank as itself, anything else as 0.
constexpr std::array<char, 256> kPlain = [] {
    std::array<char, 256> out{};
    for (char c = 'a'; c <= 'z'; ++c) out[static_cast<unsigned char>(c)] = c;
    for (char c = 'A'; c <= 'Z'; ++c) out[static_cast<unsigned char>(c)] = static_cast<char>(c + 32);
    for (char c = '0'; c <= '9'; ++c) out[static_cast<unsigned char>(c)] = c;
    out[' '] = ' ';
    return out;
}();

}  // namespace

bool split_plain(std::string_view line, std::string& text, std::vector<Token>& words) {
    words.clear();
    text.resize(line.size());
    char* const out = text.data();
    const auto size = static_cast<std::uint32_t>(line.size());
    bool capitals = false;
    for (std::uint32_t k = 0; k < size;) {
        const std::uint32_t begin = k;
        std::uint32_t hash = 0;
        for (; k < size && line[k] != ' '; ++k) {
            const char c = kPlain[static_cast<unsigned char>(line[k])];
            if (c == 0) return false;
            capitals |= c != line[k];
            out[k] = c;
            hash = 31 * hash + static_cast<unsigned char>(c);
        }
        if (k > begin) words.push_back({begin, k - begin, hash});
        if (k < size) out[k++] = ' ';
    }
    return !capitals || line.find("DOTMULTI") == line.npos;
}

}  // namespace storymeter::meteor
