// Words, contractions and words that own their apostrophe.
#include <string_view>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

// LET (LET|D)*
std::size_t plain(const Text& t, std::size_t i) {
    std::size_t end = i + letter(t, i);
    if (end == i) return 0;
    for (;;) {
        end += t.run(end, kWordUnit | kDigit);
        const std::size_t entity = letter(t, end);
        if (entity == 0) return end - i;
        end += entity;
    }
}

// AUX: 's 'm 'd 're 've 'll
std::size_t auxiliary_length(const Text& t, std::size_t i) {
    const std::size_t mark = t.apostrophe(i);
    if (mark == 0) return 0;
    const std::size_t next = i + mark;
    for (const std::string_view ending : {"re", "ve", "ll"}) {
        if (t.literal(next, ending) != 0) return mark + 2;
    }
    return t.any_of(next, "mMsSdD") ? mark + 1 : 0;
}

// NT: n't
std::size_t not_length(const Text& t, std::size_t i) {
    if (!t.any_of(i, "nN")) return 0;
    const std::size_t mark = t.apostrophe_or_tick(i + 1);
    return mark != 0 && t.any_of(i + 1 + mark, "tT") ? mark + 2 : 0;
}

Match split(const Text& t, std::size_t i, std::initializer_list<std::string_view> words, std::size_t tail) {
    for (const std::string_view candidate : words) {
        if (const std::size_t n = t.literal(i, candidate)) return ahead(n - tail, tail);
    }
    return {};
}

// A literal whose apostrophe may be any apostrophe.
std::size_t quoted_literal(const Text& t, std::size_t i, std::string_view lower) {
    const std::size_t quote = lower.find('\'');
    const std::size_t before = quote == 0 ? 0 : t.literal(i, lower.substr(0, quote));
    if (before != quote) return 0;
    const std::size_t mark = t.apostrophe(i + quote);
    if (mark == 0) return 0;
    const std::string_view rest = lower.substr(quote + 1);
    const std::size_t after = rest.empty() ? 0 : t.literal(i + quote + mark, rest);
    return after == rest.size() ? before + mark + after : 0;
}

}  // namespace

std::size_t letter(const Text& t, std::size_t i) {
    if (t.is(i, kWordUnit)) return 1;
    if (t.at(i) != '&' || !t.any_of(i + 1, "aeiouAEIOU")) return 0;
    for (const std::string_view ending : {"acute;", "grave;", "uml;"}) {
        if (const std::size_t n = t.literal(i + 2, ending)) return 2 + n;
    }
    return 0;
}

std::size_t letters(const Text& t, std::size_t i) {
    std::size_t end = i;
    while (const std::size_t n = letter(t, end)) end += n;
    return end - i;
}

std::size_t word(const Text& t, std::size_t i) {
    std::size_t end = i + plain(t, i);
    if (end == i) return 0;
    while (t.any_of(end, ".!?")) {
        const std::size_t more = plain(t, end + 1);
        if (more == 0) break;
        end += 1 + more;
    }
    return end - i;
}

Match language_names(const Text& t, std::size_t i) {
    for (const std::string_view name : {"c++", "c#", "f#"}) {
        if (const std::size_t n = t.literal(i, name)) return whole(n);
    }
    return {};
}

// "cannot" is read as "can", and "not" is left for the next match.
Match split_three(const Text& t, std::size_t i) { return split(t, i, {"cannot", "'twas"}, 3); }

Match split_two(const Text& t, std::size_t i) {
    return split(t, i, {"'tis", "gonna", "gotta", "lemme", "gimme", "wanna"}, 2);
}

Match word_before_auxiliary(const Text& t, std::size_t i) {
    const std::size_t n = word(t, i);
    const std::size_t look = n != 0 ? auxiliary_length(t, i + n) : 0;
    return look != 0 ? ahead(n, look, Emit::kWord) : Match{};
}

// "do" of "don't": letters, the last of them no n, before n't.
Match stem_before_not(const Text& t, std::size_t i) {
    std::size_t letters = 0;
    while (t.is(i + letters, kLetter) || t.at(i + letters) == kSoftHyphen) ++letters;
    if (letters == 0) return {};
    std::size_t last = letters - 1;  // the last letter before the n, soft hyphens aside
    while (last > 0 && t.at(i + last - 1) == kSoftHyphen) --last;
    if (last == 0 || t.any_of(i + last - 1, "nN")) return {};
    const std::size_t look = not_length(t, i + letters - 1);
    return look != 0 ? ahead(letters - 1, look, Emit::kWord) : Match{};
}

Match plain_word(const Text& t, std::size_t i) { return whole(word(t, i), Emit::kWord); }

Match apostrophe_word(const Text& t, std::size_t i) {
    std::size_t best = 0;
    const auto offer = [&](std::size_t n) { best = n > best ? n : best; };
    const std::size_t mark = t.apostrophe(i);
    if (mark != 0) {
        if (t.any_of(i + mark, "nN")) offer(mark + 1 + t.apostrophe(i + mark + 1));  // rock 'n' roll
        if (t.any_of(i + mark, "23456789") && t.at(i + mark + 1) == '0' && t.literal(i + mark + 2, "s") != 0)
            offer(mark + 3);  // '90s
        for (const std::string_view rest : {"'em", "'til", "'till", "'cause"})
            offer(quoted_literal(t, i, rest));
        return whole(best);
    }
    if (t.any_of(i, "lLdDjJ")) {
        if (const std::size_t n = t.apostrophe(i + 1)) offer(1 + n);
    }
    // O'Neil: any capital but I and Y, or a small n, and at least two letters behind
    if (t.any_of(i, "ABCDEFGHJKLMNOPQRSTUVWXZn")) {
        const std::size_t tick = t.apostrophe_or_tick(i + 1);
        const std::size_t letters = tick != 0 ? t.run(i + 1 + tick, kAnyLetter) : 0;
        if (letters >= 2) offer(1 + tick + letters);
    }
    // ma'am: two letters or more, the last a vowel or y, then a vowel or a capital
    const std::size_t letters = t.run(i, kAnyLetter);
    if (letters >= 2 && t.any_of(i + letters - 1, "aeiouyAEIOUY")) {
        const std::size_t tick = t.apostrophe_or_tick(i + letters);
        const std::size_t next = i + letters + tick;
        if (tick != 0 && (t.any_of(next, "aeiou") || t.is(next, kCapital)))
            offer(letters + tick + t.run(next, kAnyLetter));
    }
    if (t.any_of(i, "oO")) {  // o'o
        const std::size_t tick = t.apostrophe_or_tick(i + 1);
        if (tick != 0 && t.any_of(i + 1 + tick, "oO")) offer(2 + tick);
    }
    for (const std::string_view literal : {"dunkin'", "somethin'", "ol'"})
        offer(quoted_literal(t, i, literal));
    for (const std::string_view literal :
         {"cont'd.", "nor'easter", "c'mon", "e'er", "s'mores", "ev'ry", "li'l", "nat'l"}) {
        offer(t.literal(i, literal));  // with the plain apostrophe only
    }
    return whole(best);
}

// The y' of y'all.
Match y_all(const Text& t, std::size_t i) {
    if (!t.any_of(i, "yY")) return {};
    const std::size_t mark = t.apostrophe(i + 1);
    return mark != 0 && t.is(i + 1 + mark, kAnyLetter) ? ahead(1 + mark, 1) : Match{};
}

Match auxiliary_alone(const Text& t, std::size_t i) {
    const std::size_t n = auxiliary_length(t, i);
    return n != 0 && t.at(i + n) >= 0 && !t.is(i + n, kLetter) ? ahead(n, 1, Emit::kQuotes) : Match{};
}

Match not_alone(const Text& t, std::size_t i) { return whole(not_length(t, i), Emit::kQuotes); }

Match auxiliary(const Text& t, std::size_t i) { return whole(auxiliary_length(t, i), Emit::kQuotes); }

}  // namespace storymeter::ptb
