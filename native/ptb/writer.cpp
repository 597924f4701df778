#include "writer.hpp"

#include <algorithm>

#include "common/utf8.hpp"
// METEOR's table: both original tools leave lower-casing to Java
#include "meteor/lower.hpp"

namespace storymeter::ptb {
namespace {

constexpr char16_t kSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2, kDottedI = 0x130;

}  // namespace

void Writer::begin() {
    start_ = out_.size();
    if (!out_.empty()) out_.push_back(' ');
}

void Writer::end() {
    static constexpr std::string_view kPunctuation[] = {"''", "'", "``", "`",  ".",   "?", "!",
                                                        ",",  ":", "-",  "--", "...", ";"};
    std::string_view token = std::string_view(out_).substr(start_);
    if (token.starts_with(' ')) token.remove_prefix(1);
    const bool unwanted =
        !punctuation_ && token.size() <= 3 && !token.empty() &&
        !is(static_cast<unsigned char>(token[0]), kAlphanumeric) &&
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
            out_.push_back(static_cast<char>(meteor::lower(unit)));
            if (emit == Emit::kAmpersand && unit == '&' && i + 4 < units.size() && units[i + 4] == ';')
                i += 4;
        }
    } else if (unit >= 0xD800 && unit < 0xE000) {
        const bool pair =
            unit < 0xDC00 && i + 1 < units.size() && units[i + 1] >= 0xDC00 && units[i + 1] < 0xE000;
        append_utf8(out_, pair ? meteor::lower(0x10000 + ((char32_t{unit} - 0xD800) << 10) +
                                               (units[i + 1] - char32_t{0xDC00}))
                               : kReplacement);
        if (pair) ++i;
    } else if (unit == kSigma) {
        append_utf8(out_, is_final_sigma(units, i) ? kFinalSigma : kSmallSigma);
    } else if (unit == kDottedI) {
        out_ += "i\xCC\x87";
    } else if (is(unit, kNewline)) {
        append_utf8(out_, 0xA0);
    } else {
        append_utf8(out_, meteor::lower(unit));
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
    if (emit == Emit::kWord && units.find(kSoftHyphen) != units.npos) {
        std::u16string bare(units);
        std::erase(bare, kSoftHyphen);
        return bare.empty() ? token(std::string_view("-")) : token(bare, Emit::kAsIs);
    }
    begin();
    if (emit == Emit::kQuotes) {
        quotes(units);
    } else {
        for (std::size_t i = 0; i < units.size(); ++i) unit(units, i, emit);
    }
    end();
}

void Writer::token(std::string_view ascii) {
    begin();
    for (const char c : ascii)
        out_.push_back(static_cast<char>(meteor::lower(static_cast<unsigned char>(c))));
    end();
}

}  // namespace storymeter::ptb
