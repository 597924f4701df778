// A sentence, analysed once and compared often: its words and the phrases of the paraphrase table that occur
// in it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables.hpp"

namespace storymeter::meteor {

// A set of synsets: where it starts in the table (which names it), and its size. The empty set has no place.
struct SynsetSet {
    std::uint32_t offset = 0, count = 0;
};

// Words start .. start + length - 1 are this node of the table; `list` and `count` give its paraphrases,
// often none.
struct Occurrence {
    std::uint32_t node, start, list;
    std::uint32_t count : 24;
    std::uint32_t length : 8;
};

// Many short arrays: they lie in `memory`, which must outlive them.
struct Sentence {
    explicit Sentence(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
        : hashes(memory), stems(memory), synsets(memory), function(memory), occurrences(memory) {}

    std::pmr::vector<std::uint32_t> hashes, stems;
    std::pmr::vector<SynsetSet> synsets;
    std::pmr::vector<std::uint8_t> function;   // whether a word is a function word
    std::pmr::vector<Occurrence> occurrences;  // by start, then by length
    std::uint32_t function_words = 0;

    std::uint32_t size() const { return static_cast<std::uint32_t>(hashes.size()); }
};

// Ask for the memory that a comparison will need. (Not inline: compilers drop what only asks.)
void prefetch(const Sentence& sentence, const Tables& tables);

class Analyser {
  public:
    Analyser(const Tables& tables, bool normalize) : tables_(tables), normalize_(normalize) {}
    // The sentence lies in the memory of this object.
    Sentence analyse(std::string_view line);
    // The words of the last line, while it and this object live.
    std::span<const std::string_view> words() const { return tokens_; }

  private:
    const Tables& tables_;
    bool normalize_;
    std::pmr::monotonic_buffer_resource memory_;
    std::string buffer_;
    std::vector<std::string_view> tokens_;
    std::vector<std::uint32_t> ids_, ends_;
    std::vector<Occurrence> found_;

    void word(std::string_view token, std::size_t k, Sentence& out);
    void find_phrases(Sentence& sentence);
};

}  // namespace storymeter::meteor
