// Lays the compiled parts out as the sections of a table file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "compile.hpp"
#include "table_format.hpp"

namespace storymeter::meteor {

class TableWriter {
  public:
    TableWriter(std::string_view source_digest, std::uint32_t words, std::uint32_t phrase_words);

    template <typename Items>
    void add(Section which, const Items& items) {
        add_bytes(which, reinterpret_cast<const std::byte*>(items.data()),
                  items.size() * sizeof(*items.data()));
    }
    void nodes(std::uint32_t count) { header_.nodes = count; }
    std::vector<std::byte> finish();

  private:
    Header header_{};
    std::vector<std::byte> file_;
    void add_bytes(Section which, const std::byte* bytes, std::size_t size);
};

// The synset key that `text` is a form of, or kNoWord.
std::uint32_t find_base(const Vocabulary& words, const std::vector<std::uint8_t>& flags,
                        std::string_view text);

void write_words(TableWriter& out, const Vocabulary& words, const std::vector<std::uint8_t>& flags);

// Renumber the trie breadth-first and write it with the lists of paraphrases.
void write_phrases(TableWriter& out, const GrowingTrie& trie, std::uint32_t phrase_words,
                   const std::vector<std::uint32_t>& phrases, const std::vector<std::uint32_t>& list_begins,
                   const std::vector<std::uint32_t>& entries);

}  // namespace storymeter::meteor
