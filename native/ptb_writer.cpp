#include "ptb_writer.hpp"

#include <algorithm>
#include <vector>

#include "meteor/lower.hpp"
#include "utf8.hpp"

namespace storymeter::ptb {
namespace {

constexpr char16_t kSigma = 0x3A3, kFinalSigma = 0x3C2, kDottedI = 0x130;

// Letters that are capital or small, as opposed to those of scripts without capitals.
bool is_cased(char16_t unit) {
    static const std::vector<bool> cased = [] {
        std::vector<bool> found(0x10000);
        for (std::size_t u = 0; u < found.size(); ++u) {
            if (kCharTable.small[u] != u) found[u] = found[kCharTable.small[u]] = true;
        }
        return found;
    }();
    return cased[unit];
}

// Whether a cased letter is found going from `at` by steps of `step`, before a letter without case ends the word.
bool finds_cased(std::u16string_view units, std::size_t at, std::size_t step) {
    for (; at < units.size(); at += step) {
        if (is_cased(units[at])) return true;
        if (is(units[at], kAnyLetter)) return false;
    }
    return false;
}

// A sigma that ends a Greek word has its own small form.
bool ends_word(std::u16string_view units, std::size_t i) {
    return finds_cased(units, i - 1, static_cast<std::size_t>(-1)) && !finds_cased(units, i + 1, 1);
}

}  // namespace

void Writer::begin() {
    start_ = out_.size();
    if (!out_.empty()) out_.push_back(' ');
}

void Writer::end() {
    static constexpr std::string_view kPunctuation[] = {"''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"};
    std::string_view token = std::string_view(out_).substr(start_);
    if (token.starts_with(' ')) token.remove_prefix(1);
    const bool unwanted = !punctuation_ && token.size() <= 3 && !token.empty() && !is(static_cast<unsigned char>(token[0]), kAlphanumeric) &&
                          std::find(std::begin(kPunctuation), std::end(kPunctuation), token) != std::end(kPunctuation);
    if (unwanted || token.empty()) out_.resize(start_);
}

// Writes the unit at i, or the pair of surrogates there (then i moves on to the second).
void Writer::unit(std::u16string_view units, std::size_t& i, Emit emit) {
    const char16_t unit = units[i];
    if (unit < 0x80) {
        if (emit == Emit::kBrackets && (unit == '(' || unit == ')')) {
            out_ += unit == '(' ? "-lrb-" : "-rrb-";
        } else if (is(unit, kBlank | kNewline)) {
            append_utf8(out_, 0xA0);  // a blank inside a token must not cut it
        } else {
            out_.push_back(static_cast<char>(kCharTable.small[unit]));
        }
    } else if (unit >= 0xD800 && unit < 0xE000) {
        const bool pair = unit < 0xDC00 && i + 1 < units.size() && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
        append_utf8(out_, pair ? meteor::lower(0x10000 + ((char32_t{unit} - 0xD800) << 10) + (units[i + 1] - char32_t{0xDC00})) : kReplacement);
        if (pair) ++i;
    } else if (unit == kSigma) {
        append_utf8(out_, ends_word(units, i) ? kFinalSigma : kCharTable.small[unit]);
    } else if (unit == kDottedI) {
        out_ += "i\xCC\x87";
    } else if (is(unit, kNewline)) {
        append_utf8(out_, 0xA0);
    } else if (emit != Emit::kWord || unit != kSoftHyphen) {
        append_utf8(out_, kCharTable.small[unit]);
    }
}

void Writer::quotes(std::u16string_view units) {
    for (std::size_t i = 0; i < units.size(); ++i) {
        const char* ascii = quote_as_ascii(units[i]);
        if (units.substr(i, 6) == u"&apos;") {  // in small letters only
            out_.push_back('\'');
            i += 5;
        } else if (ascii != nullptr && *ascii != 0) {
            out_ += ascii;
        } else {
            unit(units, i, Emit::kAsIs);
        }
    }
}

void Writer::token(std::u16string_view units, Emit emit) {
    begin();
    if (emit == Emit::kQuotes) {
        quotes(units);
    } else {
        for (std::size_t i = 0; i < units.size(); ++i) unit(units, i, emit);
        const bool vanished = out_.size() == start_ || (out_.size() == start_ + 1 && out_.back() == ' ');
        if (vanished) out_.push_back('-');  // nothing but soft hyphens
    }
    end();
}

void Writer::token(std::string_view ascii) {
    begin();
    for (const char c : ascii) out_.push_back(static_cast<char>(kCharTable.small[static_cast<unsigned char>(c)]));
    end();
}

}  // namespace storymeter::ptb
