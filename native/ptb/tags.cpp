// Mark-up: tags are one token, entities become what they stand for.
#include <string_view>
#include <vector>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

std::size_t name(const Text& t, std::size_t i) {
    if (!t.is(i, kLetter)) return 0;
    std::size_t n = 1;
    while (t.is(i + n, kAlphanumeric) || t.any_of(i + n, "_:.-")) ++n;
    return n;
}

std::size_t spaces(const Text& t, std::size_t i) { return t.run_of(i, ' '); }

// <!x…> and <?x…> up to the first > of the line.
std::size_t declaration(const Text& t, std::size_t i) {
    const std::size_t start = i + 2;
    if (t.at(start) != '-' && !t.is(start, kLetter)) return 0;
    if (!t.declaration.holds(start)) {
        std::size_t end = start;
        while (t.at(end) >= 0 && !t.any_of(end, ">\r\n")) ++end;
        t.declaration = {start, end, 0, 0};
    }
    const std::size_t end = t.declaration.end;
    return t.at(end) == '>' ? end + 1 - i : 0;
}

// = "value" or = 'value' with blanks around the sign; 0 when there is none.
std::size_t value(const Text& t, std::size_t i) {
    std::size_t at = i + spaces(t, i);
    if (t.at(at) != '=') return 0;
    at += 1 + spaces(t, at + 1);
    const int quote = t.at(at);
    if (quote != '"' && quote != '\'') return 0;
    for (++at; t.at(at) >= 0; ++at) {
        if (t.at(at) == quote) return at + 1 - i;
    }
    return 0;
}

}  // namespace

std::size_t tag_length(const Text& t, std::size_t i) {
    if (t.at(i) != '<') return 0;
    if (t.any_of(i + 1, "!?")) return declaration(t, i);
    if (t.at(i + 1) == '/') {
        const std::size_t n = name(t, i + 2);
        const std::size_t end = i + 2 + n + spaces(t, i + 2 + n);
        return n != 0 && t.at(end) == '>' ? end + 1 - i : 0;
    }
    std::size_t end = i + 1 + name(t, i + 1);
    if (end == i + 1) return 0;
    std::vector<std::size_t> visited;
    while (t.dead_tags.count(end) == 0) {
        visited.push_back(end);
        const std::size_t blanks = spaces(t, end);
        const std::size_t next = end + blanks;
        std::size_t close = next + (t.at(next) == '/' ? 1 : 0);
        close += spaces(t, close);
        if (t.at(close) == '>') return close + 1 - i;
        const std::size_t attribute = blanks != 0 ? name(t, next) : 0;
        if (attribute == 0) break;
        end = next + attribute;
        end += value(t, end);
    }
    t.dead_tags.insert(visited.begin(), visited.end());
    return 0;
}

Match tag(const Text& t, std::size_t i) { return whole(tag_length(t, i), Emit::kNoBlanks); }

Match dash_entity(const Text& t, std::size_t i) {
    const int unit = t.at(i);
    if ((unit >= 0x2013 && unit <= 0x2015) || unit == 0x96 || unit == 0x97) return replaced(1, "--");
    for (const std::string_view entity : {"&md;", "&mdash;", "&ndash;"}) {
        if (const std::size_t n = t.literal(i, entity)) return replaced(n, "--");
    }
    return {};
}

Match ampersand_entity(const Text& t, std::size_t i) {
    const std::size_t n = t.literal(i, "&amp;");
    return n != 0 ? replaced(n, "&") : Match{};
}

Match other_entity(const Text& t, std::size_t i) {
    for (const std::string_view entity :
         {"&ht;", "&tl;", "&ur;", "&lr;", "&qc;", "&ql;", "&qr;", "&odq;", "&cdq;"}) {
        if (const std::size_t n = t.literal(i, entity)) return whole(n);
    }
    if (t.at(i) != '&' || t.at(i + 1) != '#') return {};
    std::size_t n = 0;
    while (t.any_of(i + 2 + n, "0123456789")) ++n;
    return n != 0 && t.at(i + 2 + n) == ';' ? whole(n + 3) : Match{};
}

}  // namespace storymeter::ptb
