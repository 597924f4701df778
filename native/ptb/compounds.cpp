// Hyphenated, slashed and joined words, file names, and a few words that follow no pattern.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

using namespace std::string_view_literals;

// One part of a THING: letters and digits, perhaps with d' o' l' in front (o'clock).
std::size_t part(const Text& t, std::size_t i) {
    if (t.any_of(i, "dDoOlL")) {
        const std::size_t mark = t.apostrophe_or_tick(i + 1);
        const std::size_t rest = mark != 0 ? t.run(i + 1 + mark, kThingUnit) : 0;
        if (rest >= 2) return 1 + mark + rest;
    }
    return t.run(i, kThingUnit);
}

std::size_t thing_length(const Text& t, std::size_t i) {
    std::size_t end = i + part(t, i);
    if (end == i) return 0;
    while (t.any_of(end, "-_") || t.at(end) == 0x58A || t.at(end) == 0x2010 || t.at(end) == 0x2011) {
        const std::size_t more = part(t, end + 1);
        if (more == 0) break;
        end += 1 + more;
    }
    return end - i;
}

// HTHING: letters, digits, dots and commas, then one or more parts behind hyphens (3.5-inch, U.S.-based,
// mid-U.S.).
std::size_t hyphenated_length(const Text& t, std::size_t i) {
    if (!t.is(i, kAlphanumeric)) return 0;
    if (!t.listed.holds(i)) {
        std::size_t end = i;
        while (t.is(end, kAlphanumeric) || t.any_of(end, ".,") || t.at(end) == kSoftHyphen) ++end;
        t.listed = {i, end, 0, 0};
    }
    std::size_t end = t.listed.end;
    std::size_t parts = 0;
    for (; t.at(end) == '-'; ++parts) {
        const std::size_t acronym = dotted_letters(t, end + 1, 2);
        std::size_t more = acronym;
        if (acronym == 0) {
            while (t.is(end + 1 + more, kAlphanumeric) || t.at(end + 1 + more) == kSoftHyphen) ++more;
        }
        if (more == 0) break;
        end += 1 + more;
    }
    return parts != 0 ? end - i : 0;
}

// THINGA: capitals joined by & or + (AT&T, A+B).
std::size_t capitals_length(const Text& t, std::size_t i) {
    std::size_t end = i + t.run(i, kCapital);
    if (end == i) return 0;
    std::size_t joints = 0;
    while (t.any_of(end, "&+")) {
        const std::size_t entity = t.literal(end, "&amp;");
        const std::size_t joint = entity != 0 && t.is(end + entity, kCapital) ? entity : 1;
        const std::size_t more = t.run(end + joint, kCapital);
        if (more == 0) break;
        end += joint + more;
        ++joints;
    }
    return joints != 0 ? end - i : 0;
}

bool is_insertion(int unit) { return unit == ',' || unit == ';' || unit == ':' || unit == 0x3001; }

// A token that keeps its dot because , ; : or 、 follows.
Match keeps_dot(const Text& t, std::size_t i, std::size_t n, Emit emit = Emit::kWord) {
    return n != 0 && t.at(i + n) == '.' && is_insertion(t.at(i + n + 1)) ? ahead(n + 1, 1, emit) : Match{};
}

// A part of a SLASHED: AN+(-L+){0,2}
std::size_t slash_part(const Text& t, std::size_t i) {
    std::size_t end = i + t.run(i, kAlphanumeric);
    if (end == i) return 0;
    for (int hyphens = 0; hyphens < 2 && t.at(end) == '-'; ++hyphens) {
        const std::size_t more = t.run(end + 1, kLetter);
        if (more == 0) break;
        end += 1 + more;
    }
    return end - i;
}

constexpr std::array kExtensions = {
    "bat"sv, "bmp"sv, "c"sv,   "class"sv, "cgi"sv, "cpp"sv,  "dll"sv, "doc"sv,  "docx"sv,
    "exe"sv, "gif"sv, "gz"sv,  "h"sv,     "htm"sv, "html"sv, "jar"sv, "java"sv, "jpeg"sv,
    "jpg"sv, "mov"sv, "mp3"sv, "pdf"sv,   "php"sv, "pl"sv,   "png"sv, "ppt"sv,  "ps"sv,
    "py"sv,  "sql"sv, "tar"sv, "txt"sv,   "wav"sv, "x"sv,    "xml"sv, "zip"sv,
};

// Length of a known extension at i with what must follow it, or 0.
std::size_t extension(const Text& t, std::size_t i) {
    for (const std::string_view name : kExtensions) {
        const std::size_t n = t.literal(i, name);
        if (n != 0 && (t.any_of(i + n, ".?!,") || t.space(i + n) != 0)) return n;
    }
    return 0;
}

}  // namespace

Match odd_words(const Text& t, std::size_t i) {
    std::size_t best = 0;
    for (const std::string_view literal :
         {"-lrb-"sv, "-rrb-"sv, "-lcb-"sv, "-rcb-"sv, "-lsb-"sv, "-rsb-"sv, "c.d.s"sv, "pro-"sv, "anti-"sv,
          "s&p-500"sv, "s&ls"sv, "s&amp;p-500"sv, "s&amp;ls"sv}) {
        best = std::max(best, t.literal(i, literal));
    }
    for (const auto& [before, after] :
         {std::pair{"cap"sv, "n"sv}, std::pair{"c"sv, "est"sv}}) {  // Cap'n, c'est
        const std::size_t n = t.literal(i, before);
        const std::size_t mark = n != 0 ? t.apostrophe(i + n) : 0;
        if (mark != 0 && t.literal(i + n + mark, after) != 0) best = std::max(best, n + mark + after.size());
    }
    return whole(best, Emit::kAmpersand);
}

Match slashed(const Text& t, std::size_t i) {
    std::size_t end = i + slash_part(t, i);
    if (end == i) return {};
    int slashes = 0;
    for (; slashes < 2; ++slashes) {
        const std::size_t slash = t.at(end) == '/' ? 1 : t.at(end) == '\\' && t.at(end + 1) == '/' ? 2 : 0;
        const std::size_t more = slash != 0 ? slash_part(t, end + slash) : 0;
        if (more == 0) break;
        end += slash + more;
    }
    return slashes != 0 ? whole(end - i) : Match{};
}

Match word_dot_before_insertion(const Text& t, std::size_t i) { return keeps_dot(t, i, word(t, i)); }
Match hyphenated_dot(const Text& t, std::size_t i) { return keeps_dot(t, i, hyphenated_length(t, i)); }
Match hyphenated(const Text& t, std::size_t i) { return whole(hyphenated_length(t, i), Emit::kWord); }
Match thing_dot(const Text& t, std::size_t i) { return keeps_dot(t, i, thing_length(t, i)); }
Match thing(const Text& t, std::size_t i) { return whole(thing_length(t, i), Emit::kWord); }
Match capitals_dot(const Text& t, std::size_t i) {
    return keeps_dot(t, i, capitals_length(t, i), Emit::kAmpersand);
}
Match capitals(const Text& t, std::size_t i) { return whole(capitals_length(t, i), Emit::kAmpersand); }

Match file_name(const Text& t, std::size_t i) {
    const auto part = [&](std::size_t at) { return t.is(at, kDigit) ? std::size_t{1} : letter(t, at); };
    if (part(i) == 0) return {};
    if (!t.dotted.holds(
            i)) {  // the run of letters, digits and single dots around i; remember its last known extension
        std::size_t begin = i, end = i, dot = 0, stop = 0;
        for (std::size_t n; (n = part(end)) != 0 || (t.at(end) == '.' && part(end + 1) != 0);) {
            if (n == 0) {
                if (const std::size_t known = extension(t, end + 1)) dot = end, stop = end + 1 + known;
                n = 1;
            }
            end += n;
            if (n > 1) begin = end;  // nobody may start inside an entity
        }
        t.dotted = {begin, end, dot, stop};
    }
    if (t.dotted.mark <= i) return {};
    const std::size_t used = t.dotted.stop - i;
    const std::size_t look = t.space(t.dotted.stop);
    return ahead(used, look != 0 ? look : 1);
}

}  // namespace storymeter::ptb
