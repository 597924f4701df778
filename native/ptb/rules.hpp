// The rules of the tokeniser, by family. Each looks at one position and answers with a Match; none looks
// back. The numbers are the rows of the rule table in ptb.cpp.
#pragma once

#include <cstdint>

#include "text.hpp"

namespace storymeter::ptb {

using Rule = Match (*)(const Text&, std::size_t);

// words.cpp
std::size_t word(const Text& t, std::size_t i);  // WORD: letters and digits, glued by inner . ! ?
std::size_t letter(
    const Text& t,
    std::size_t i);  // LET: a letter of any script, or an entity such as &eacute; that stands for one
std::size_t letters(const Text& t, std::size_t i);  // LET+
Match language_names(const Text& t, std::size_t i);
Match split_three(const Text& t, std::size_t i);
Match split_two(const Text& t, std::size_t i);
Match word_before_auxiliary(const Text& t, std::size_t i);
Match stem_before_not(const Text& t, std::size_t i);
Match plain_word(const Text& t, std::size_t i);
Match apostrophe_word(const Text& t, std::size_t i);
Match y_all(const Text& t, std::size_t i);
Match auxiliary_alone(const Text& t, std::size_t i);
Match not_alone(const Text& t, std::size_t i);
Match auxiliary(const Text& t, std::size_t i);

// compounds.cpp
Match odd_words(const Text& t, std::size_t i);
Match slashed(const Text& t, std::size_t i);
Match word_dot_before_insertion(const Text& t, std::size_t i);
Match hyphenated_dot(const Text& t, std::size_t i);
Match hyphenated(const Text& t, std::size_t i);
Match thing_dot(const Text& t, std::size_t i);
Match thing(const Text& t, std::size_t i);
Match capitals_dot(const Text& t, std::size_t i);
Match capitals(const Text& t, std::size_t i);
Match file_name(const Text& t, std::size_t i);

// abbreviations.cpp
std::size_t dotted_letters(const Text& t, std::size_t i, std::size_t least);  // (L.)+, with the last dot
bool is_listed(std::uint64_t packed);  // the letters are an abbreviation (packed: ascii_words.hpp)
Match acronym_before_sentence(const Text& t, std::size_t i);
Match abbreviation_before_number(const Text& t, std::size_t i);
Match company_limited(const Text& t, std::size_t i);
Match abbreviation_at_sentence_end(const Text& t, std::size_t i);
Match abbreviation_inside(const Text& t, std::size_t i);
Match abbreviation_at_end(const Text& t, std::size_t i);
Match title(const Text& t, std::size_t i);

// numbers.cpp
Match date(const Text& t, std::size_t i);
Match number(const Text& t, std::size_t i);
Match fraction(const Text& t, std::size_t i);
Match dollars(const Text& t, std::size_t i);
Match written_out(const Text& t, std::size_t i);
Match short_year(const Text& t, std::size_t i);
Match phone(const Text& t, std::size_t i);

// urls.cpp
Match url(const Text& t, std::size_t i);
Match likely_url(const Text& t, std::size_t i);
Match mail(const Text& t, std::size_t i);
Match handle(const Text& t, std::size_t i);
Match hash_tag(const Text& t, std::size_t i);

// tags.cpp
std::size_t tag_length(const Text& t, std::size_t i);
Match tag(const Text& t, std::size_t i);
Match dash_entity(const Text& t, std::size_t i);
Match ampersand_entity(const Text& t, std::size_t i);
Match other_entity(const Text& t, std::size_t i);

// symbols.cpp
Match opening_quote(const Text& t, std::size_t i);
Match closing_quote(const Text& t, std::size_t i);
Match angle(const Text& t, std::size_t i);
Match smiley(const Text& t, std::size_t i);
Match asian_smiley(const Text& t, std::size_t i);
Match bracket(const Text& t, std::size_t i);
Match dashes(const Text& t, std::size_t i);
Match dots(const Text& t, std::size_t i);
Match repeated(const Text& t, std::size_t i);
Match opening_apostrophe(const Text& t, std::size_t i);
Match typographic_quotes(const Text& t, std::size_t i);
Match any_sign(const Text& t, std::size_t i);
Match apostrophes(const Text& t, std::size_t i);
Match single_sign(const Text& t, std::size_t i);
Match space(const Text& t, std::size_t i);

}  // namespace storymeter::ptb
