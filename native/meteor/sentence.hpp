// A sentence, analysed once and compared often: its words and the phrases of the paraphrase table that occur in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables.hpp"

namespace storymeter::meteor {

struct Word {
    std::uint64_t synset_bits;  // a Bloom filter: no common bit, no common synset
    std::uint32_t hash, stem;
    std::uint32_t synsets;  // where the set starts in the table; it names the set
    std::uint32_t synset_count : 31;
    std::uint32_t function : 1;
};

// Words start .. start + length - 1 are this node of the table; `paraphrases` is empty where the node is only a paraphrase.
struct Occurrence {
    std::uint32_t node, start;
    std::uint32_t length;
    std::span<const std::uint32_t> paraphrases;
};

struct Sentence {
    std::vector<Word> words;
    std::vector<Occurrence> occurrences;  // by start, then by length
    std::uint32_t function_words = 0;

    std::uint32_t size() const { return static_cast<std::uint32_t>(words.size()); }
};

class Analyser {
public:
    Analyser(const Tables& tables, bool normalize) : tables_(tables), normalize_(normalize) {}
    Sentence analyse(std::string_view line);

private:
    const Tables& tables_;
    bool normalize_;
    std::string buffer_;
    std::vector<std::string_view> tokens_;
    std::vector<std::uint32_t> ids_, hashes_;

    Word word(std::string_view token, std::uint32_t hash, std::uint32_t& id) const;
    void find_phrases(Sentence& sentence) const;
};

}  // namespace storymeter::meteor
