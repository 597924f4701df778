// From METEOR's data files to one table (table_format.hpp). Feed the paraphrases first, in pieces of any
// size; then the four small files; then `finish`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "table_format.hpp"

namespace storymeter::meteor {

struct SourceError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr std::uint32_t kNoWord = 0xFFFFFFFF;

// An interned vocabulary: words in the order they were met.
class Vocabulary {
  public:
    std::uint32_t intern(std::string_view word);
    std::uint32_t find(std::string_view word) const;  // kNoWord where it is not there
    std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }
    std::string_view operator[](std::uint32_t k) const {
        return std::string_view(bytes_).substr(offsets_[k], offsets_[k + 1] - offsets_[k]);
    }
    const std::vector<std::uint32_t>& hashes() const { return hashes_; }
    const std::vector<std::uint32_t>& offsets() const { return offsets_; }
    const std::vector<std::uint32_t>& slots() const { return slots_; }
    const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
    std::vector<std::uint32_t> offsets_{0}, hashes_, slots_ = std::vector<std::uint32_t>(1 << 16);
    void grow();
};

// A trie that only grows: (node, word) -> node. Nodes below 65,536 are single words.
class GrowingTrie {
  public:
    static constexpr std::uint32_t kFirst = 1 << 16;
    std::uint32_t child(std::uint32_t parent, std::uint32_t word);
    std::uint32_t size() const { return static_cast<std::uint32_t>(parents_.size()); }
    std::uint32_t parent(std::uint32_t k) const { return parents_[k]; }
    std::uint16_t label(std::uint32_t k) const { return labels_[k]; }

  private:
    std::vector<std::uint32_t> parents_, slots_ = std::vector<std::uint32_t>(1 << 20);
    std::vector<std::uint16_t> labels_;
    void grow();
};

class Compiler {
  public:
    void paraphrases(std::string_view piece);
    void function_words(std::string_view file);
    void prefixes(std::string_view file);
    void synsets(std::string_view file);
    void exceptions(std::string_view file);
    std::vector<std::byte> finish(std::string_view source_digest);

  private:
    Vocabulary words_;
    GrowingTrie trie_;
    std::string rest_;         // an unfinished line
    std::string phrase_text_;  // the phrase of the last triple
    std::uint64_t line_ = 0;
    std::uint32_t phrase_words_ = 0;  // set by the first call that is not `paraphrases`
    std::vector<std::uint32_t> phrases_, list_begins_,
        entries_;  // nodes; entries_[list_begins_[k]..] belong to phrases_[k]
    std::vector<std::uint8_t> flags_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> own_synsets_, bases_;

    void triple_line(std::string_view line);
    std::uint32_t phrase_node(std::string_view phrase);
    void close_paraphrases();
    std::uint32_t other_word(std::string_view word);
    std::vector<std::uint32_t> synset_set(std::uint32_t word) const;
};

}  // namespace storymeter::meteor
