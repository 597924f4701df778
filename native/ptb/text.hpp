// The line that is being tokenised, with the tests that the rules share.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_set>

#include "chars.hpp"

namespace storymeter::ptb {

// What to write for a match.
enum class Emit {
    kAsIs,
    kDrop,       // blanks and what no rule knows
    kWord,       // soft hyphens are taken out; one that stands alone becomes "-"
    kQuotes,     // every kind of quote becomes ' or `
    kAmpersand,  // &amp; becomes &
    kReplace,    // write `with` instead
    kExtraDot,   // the token keeps its dot and a second token "." follows
    kNoBlanks,   // inner blanks become U+00A0, so that the token stays one token
    kBrackets,   // the same, and round brackets become -LRB- and -RRB-
};

// A rule's answer: `total` decides which rule wins (look-ahead included), `used` is consumed. total = 0: no
// match.
struct Match {
    std::size_t total = 0;
    std::size_t used = 0;
    Emit emit = Emit::kAsIs;
    const char* with = nullptr;
};

inline Match whole(std::size_t length, Emit emit = Emit::kAsIs) { return {length, length, emit, nullptr}; }
inline Match ahead(std::size_t used, std::size_t look, Emit emit = Emit::kAsIs) {
    return {used + look, used, emit, nullptr};
}
inline Match replaced(std::size_t length, const char* with) { return {length, length, Emit::kReplace, with}; }

class Text {
  public:
    explicit Text(std::u16string_view units) : units_(units) {}

    std::size_t size() const { return units_.size(); }
    int at(std::size_t i) const { return i < units_.size() ? units_[i] : -1; }
    bool is(std::size_t i, unsigned wanted) const { return ptb::is(at(i), wanted); }
    bool any_of(std::size_t i, std::string_view ascii) const {
        const int unit = at(i);
        if (unit <= 0 || unit > 127) return false;
        for (const char c : ascii) {
            if (c == unit) return true;
        }
        return false;
    }
    // Length of the run of characters of these kinds that starts at i.
    std::size_t run(std::size_t i, unsigned wanted, std::size_t most = static_cast<std::size_t>(-1)) const {
        std::size_t n = 0;
        while (n < most && is(i + n, wanted)) ++n;
        return n;
    }
    std::size_t run_of(std::size_t i, int unit) const {
        std::size_t n = 0;
        while (at(i + n) == unit) ++n;
        return n;
    }
    // Length of an ASCII literal (given in lower case) at i whatever the case, or 0.
    std::size_t literal(std::size_t i, std::string_view lower) const {
        for (std::size_t k = 0; k < lower.size(); ++k) {
            if (folded(at(i + k)) != lower[k]) return 0;
        }
        return lower.size();
    }
    std::size_t newline(std::size_t i) const {
        return at(i) == '\r' && at(i + 1) == '\n' ? 2 : is(i, kNewline) ? 1 : 0;
    }
    std::size_t space(std::size_t i) const { return is(i, kBlank) ? 1 : newline(i); }
    // AP and APX of the specification: an apostrophe; an apostrophe or a backtick.
    std::size_t apostrophe(std::size_t i) const {
        return is_apostrophe(at(i)) ? 1 : at(i) == '&' ? literal(i, "&apos;") : 0;
    }
    std::size_t apostrophe_or_tick(std::size_t i) const { return is_tick(at(i)) ? 1 : apostrophe(i); }

    // Where runs that several tokens may share end. Each is found once, so that a line costs linear time.
    struct Run {
        std::size_t begin = 1, end = 0;
        std::size_t mark = 0,
                    stop = 0;  // the last place in the run where a match can hinge, and where that match ends
        bool holds(std::size_t i) const { return begin <= i && i < end; }
    };
    mutable Run mail, host, www, www_path, listed, dotted, declaration;
    mutable std::unordered_set<std::size_t>
        dead_tags;  // places inside a would-be tag from where no > can be reached

  private:
    std::u16string_view units_;
};

}  // namespace storymeter::ptb
