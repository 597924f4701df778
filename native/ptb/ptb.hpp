// Penn Treebank tokenisation of captions, as the tokeniser step of the COCO caption evaluation does it.
//
// An ordered table of rules, longest match wins, ties go to the earlier rule. Every line is read as if a
// newline and then nothing followed it. The text is held as UTF-16 code units, the alphabet in which the
// original tool counts lengths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace storymeter {

// The tokens of one line of UTF-8, lower-cased and joined by one blank. punctuation=false drops the
// punctuation set.
std::string ptb_tokenize(std::string_view line, bool punctuation);

// The same by the rule table alone, without the shortcut for plain ASCII words: slower, for checks.
std::string ptb_tokenize_by_table(std::string_view line, bool punctuation);

// The same for many lines on a number of threads; the result does not depend on the number. newline=false:
// nothing follows a line, not even a newline, as behind the last line of a text.
std::vector<std::string> ptb_tokenize_batch(const std::vector<std::string_view>& lines, bool punctuation,
                                            int threads, bool newline = true);

}  // namespace storymeter
