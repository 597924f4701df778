// A sentence, analysed once and compared often: its words and the phrases of the paraphrase table that occur in it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tables.hpp"

namespace storymeter::meteor {

struct Word {
    std::uint32_t hash, stem;
    std::uint64_t synset_bits;  // a Bloom filter: no common bit, no common synset
    const std::uint32_t* synsets;
    std::uint32_t synset_count;
    bool function;
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
    std::vector<std::uint32_t> ids_;

    Word word(std::string_view token, std::uint32_t& id) const;
};

}  // namespace storymeter::meteor
