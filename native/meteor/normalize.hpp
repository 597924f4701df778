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

// Replace `text` by lower-case ASCII words where no rule but lower-casing can touch it; otherwise return
// false.
bool normalize_plain(std::string_view line, std::string& out);

// Views into `line`; trimmed of characters up to U+0020 at both ends first.
void split_words(std::string_view line, std::vector<std::string_view>& words);

std::string_view trim(std::string_view line);

}  // namespace storymeter::meteor
