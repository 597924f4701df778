// Numbers, dates, fractions, money and telephone numbers.
#include <algorithm>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

// Digits of any script, perhaps with soft hyphens before and between them.
std::size_t digit_run(const Text& t, std::size_t i) {
    std::size_t n = 0, last = 0;
    for (; t.is(i + n, kDigit) || t.at(i + n) == kSoftHyphen; ++n) {
        if (t.at(i + n) != kSoftHyphen) last = n + 1;
    }
    return last;
}

// NUM: digits, or perhaps digits and then groups of digits behind . : or ,
std::size_t figures(const Text& t, std::size_t i) {
    std::size_t end = i + digit_run(t, i);
    while (t.any_of(end, ".:,") || t.at(end) == 0x66B || t.at(end) == 0x66C) {
        const std::size_t more = t.is(end + 1, kDigit) ? digit_run(t, end + 1) : 0;
        if (more == 0) break;
        end += 1 + more;
    }
    return end - i;
}

// `least` to `most` digits at i; as many as there are, or 0.
std::size_t plain_digits(const Text& t, std::size_t i, std::size_t least, std::size_t most) {
    std::size_t n = 0;
    while (n < most && t.any_of(i + n, "0123456789")) ++n;
    return n >= least ? n : 0;
}

// The same for digits of any script.
std::size_t digits(const Text& t, std::size_t i, std::size_t least, std::size_t most) {
    const std::size_t n = t.run(i, kDigit, most);
    return n >= least ? n : 0;
}

std::size_t simple_fraction(const Text& t, std::size_t i) {
    const std::size_t above = digits(t, i, 1, 4);
    if (above == 0) return 0;
    const std::size_t slash = t.at(i + above) == '/' || t.at(i + above) == 0x2044     ? 1
                              : t.at(i + above) == '\\' && t.at(i + above + 1) == '/' ? 2
                                                                                      : 0;
    const std::size_t below = slash != 0 ? digits(t, i + above + slash, 1, 4) : 0;
    return below != 0 ? above + slash + below : 0;
}

bool joint(const Text& t, std::size_t i) { return t.any_of(i, "- ") || t.at(i) == 0xA0; }

// The end of a telephone number: 3-4 digits, perhaps a joint, 3-5 digits.
std::size_t phone_tail(const Text& t, std::size_t i) {
    for (std::size_t first = plain_digits(t, i, 3, 4); first >= 3; --first) {  // 55 123456 splits 3 + 3
        const std::size_t gap = joint(t, i + first) ? 1 : 0;
        if (const std::size_t last = plain_digits(t, i + first + gap, 3, 5)) return first + gap + last;
    }
    return 0;
}

// Groups of 2-4 digits, each with a joint behind, then the end; at least one group, at most two.
std::size_t phone_groups(const Text& t, std::size_t i) {
    const std::size_t first = plain_digits(t, i, 2, 4);
    if (first == 0 || !joint(t, i + first)) return 0;
    std::size_t best = 0;
    if (const std::size_t tail = phone_tail(t, i + first + 1)) best = first + 1 + tail;
    const std::size_t next = i + first + 1;
    const std::size_t second = plain_digits(t, next, 2, 4);
    if (second != 0 && joint(t, next + second)) {
        if (const std::size_t tail = phone_tail(t, next + second + 1))
            best = std::max(best, first + second + 2 + tail);
    }
    return best;
}

std::size_t phone_dotted(const Text& t, std::size_t i) {
    std::size_t sizes[4] = {0, 0, 0, 0};
    std::size_t count = 0, at = i;
    for (; count < 4; ++count) {
        sizes[count] = plain_digits(t, at, 0, 6);
        if (sizes[count] < 2) return 0;
        at += sizes[count];
        if (count < 3 && t.at(at) != '.') break;
        if (count < 3) ++at;
    }
    const std::size_t groups = std::min<std::size_t>(count + 1, 4);
    for (const std::size_t take : {std::size_t{4}, std::size_t{3}}) {
        if (groups < take) continue;
        bool fits = sizes[take - 2] >= 3 && sizes[take - 2] <= 4 && sizes[take - 1] >= 3;
        for (std::size_t k = 0; k + 2 < take; ++k) fits = fits && sizes[k] <= 4;
        if (!fits) continue;
        std::size_t length = take - 1 + std::min<std::size_t>(sizes[take - 1], 5);
        for (std::size_t k = 0; k + 1 < take; ++k) length += sizes[k];
        return length;
    }
    return 0;
}

}  // namespace

Match date(const Text& t, std::size_t i) {
    std::size_t end = i;
    for (int part = 0; part < 2; ++part) {
        const std::size_t n = digits(t, end, 1, 2);
        if (n == 0 || !t.any_of(end + n, "-/")) return {};
        end += n + 1;
    }
    const std::size_t year = digits(t, end, 2, 4);
    return year != 0 ? whole(end + year - i) : Match{};
}

Match number(const Text& t, std::size_t i) {
    const std::size_t sign = t.any_of(i, "+-") ? 1 : 0;
    const std::size_t n = figures(t, i + sign);
    return n != 0 ? whole(sign + n, Emit::kWord) : Match{};
}

Match fraction(const Text& t, std::size_t i) {
    const std::size_t ones = digits(t, i, 1, 4);
    const std::size_t mixed = ones != 0 && joint(t, i + ones) ? simple_fraction(t, i + ones + 1) : 0;
    return whole(mixed != 0 ? ones + 1 + mixed : simple_fraction(t, i), Emit::kNoBlanks);
}

Match dollars(const Text& t, std::size_t i) {
    if (t.at(i) == '#') return whole(1);
    const std::size_t capitals = t.run(i, kCapital);
    return t.at(i + capitals) == '$' ? whole(capitals + 1) : Match{};
}

// Signs of currencies and fractions that are written out.
Match written_out(const Text& t, std::size_t i) {
    switch (t.at(i)) {
        case 0x80:
        case 0xA4:
        case 0x20A0:
        case 0x20AC:
            return replaced(1, "$");
        case 0xA2:
            return replaced(1, "cents");
        case 0xA3:
            return replaced(1, "#");
        case 0xBC:
            return replaced(1, "1/4");
        case 0xBD:
            return replaced(1, "1/2");
        case 0xBE:
            return replaced(1, "3/4");
        case 0x2153:
            return replaced(1, "1/3");
        case 0x2154:
            return replaced(1, "2/3");
        default:
            return {};
    }
}

// '90
Match short_year(const Text& t, std::size_t i) {
    const std::size_t mark = t.apostrophe(i);
    if (mark == 0 || plain_digits(t, i + mark, 2, 2) == 0) return {};
    const std::size_t look = t.space(i + mark + 2);
    return look != 0 ? ahead(mark + 2, look) : Match{};
}

Match phone(const Text& t, std::size_t i) {
    if (t.at(i) == '(') {
        const std::size_t area = plain_digits(t, i + 1, 2, 3);
        if (area == 0 || t.at(i + 1 + area) != ')') return {};
        std::size_t start = i + area + 2;
        if (t.at(start) == ' ' || t.at(start) == 0xA0) ++start;
        const std::size_t tail = phone_tail(t, start);
        return tail != 0 ? whole(start + tail - i, Emit::kBrackets) : Match{};
    }
    std::size_t plus = 0;
    while (plus < 2 && t.at(i + plus) == '+') ++plus;
    const std::size_t n = std::max(phone_groups(t, i + plus), phone_dotted(t, i + plus));
    return n != 0 ? whole(plus + n, Emit::kBrackets) : Match{};
}

}  // namespace storymeter::ptb
