// A sentence, analysed once and compared often: its words and the phrases of the paraphrase table that occur
// in it.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lexicon.hpp"

namespace storymeter::meteor {

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

class Analyser {
  public:
    // The pool must outlive this object; sentences lie in the memory of this object.
    Analyser(LexiconPool& pool, bool normalize)
        : pool_(pool), tables_(pool.tables()), borrowed_(pool.take(normalize)), lexicon_(*borrowed_) {}
    ~Analyser() { pool_.put_back(std::move(borrowed_)); }
    Analyser(const Analyser&) = delete;
    Analyser& operator=(const Analyser&) = delete;
    Sentence analyse(std::string_view line);
    // The words of the last line.
    std::vector<std::string> words() const;

  private:
    LexiconPool& pool_;
    const Tables& tables_;
    std::unique_ptr<Lexicon> borrowed_;
    Lexicon& lexicon_;
    std::pmr::monotonic_buffer_resource memory_;
    std::string text_;
    std::vector<Token> tokens_;
    std::vector<Phrase> phrases_;  // the words as phrases
    std::vector<Occurrence> found_;

    void find_phrases(Sentence& sentence);
};

}  // namespace storymeter::meteor
