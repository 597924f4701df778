// From a line of text to METEOR's words.
//
// With normalisation (`-norm`): punctuation is cut off by rules that each scan once from left to right and
// consume the neighbours they look at (`t-shirt` -> `t shirt`, but `jack-o-lantern` -> `jack o-lantern`),
// then Unicode lower case. Without: the text as it is. Either way, words end at blank, tab, line feed,
// carriage return or form feed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace storymeter::meteor {

// What a word followed by a full stop may be: an abbreviation always, or one only before a number (`No. 5`).
enum class Prefix : std::uint8_t { none, always, numeric };

class PrefixList {
  public:
    virtual ~PrefixList() = default;
    virtual Prefix prefix(std::string_view word) const = 0;
};

// The normalised, lower-cased line.
std::string normalize(std::string_view line, const PrefixList& prefixes);

// A word of a text, and its Java hash.
struct Token {
    std::uint32_t begin, size, hash;
    std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

// The words of a text, trimmed of characters up to U+0020 at both ends first.
void split_words(std::string_view text, std::vector<Token>& words);

// Both at once, where no rule but lower-casing can touch the line; otherwise returns false.
bool split_plain(std::string_view line, std::string& text, std::vector<Token>& words);

std::string_view trim(std::string_view line);

}  // namespace storymeter::meteor
