// Words and phrases as the tables describe them. The tables are larger than the processor's caches, and texts
// repeat their words, so the results of recent lookups are kept in caches of fixed size.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "tables.hpp"

namespace storymeter::meteor {

// A set of synsets: where it starts in the table (which names it), and its size. The empty set has no place.
struct SynsetSet {
    std::uint32_t offset = 0, count = 0;
};

// A node of the table of phrases (kNone: there is no such phrase) and the list of its paraphrases, often
// empty.
struct Phrase {
    std::uint32_t node = kNone, list = 0;
    std::uint32_t count = 0;
    bool grows = false;  // whether there are longer phrases that begin with it
};

struct Word {
    std::uint32_t stem = 0;
    bool function = false;  // whether it is a function word
    SynsetSet synsets;
    Phrase phrase;  // the word as a phrase
};

class Lexicon {
  public:
    Lexicon(const Tables& tables, bool normalize);
    bool normalizes() const { return normalize_; }

    // Valid until the next call.
    const Word& word(std::string_view token, std::uint32_t hash);
    // A phrase with one word more; both are phrases of the table.
    Phrase longer(std::uint32_t node, std::uint32_t word) {
        const KnownPhrase* const known = find(node, word);
        return known ? Phrase{known->longer, known->list, known->count, known->grows != 0}
                     : look_up(node, word);
    }
    // Prefetch the memory that `longer` will read: the cache first, then, where it has no entry, the table.
    void prefetch_cache(std::uint32_t node, std::uint32_t word) const {
        Tables::prefetch(&phrases_[place(node, word)]);
    }
    void prefetch_table(std::uint32_t node, std::uint32_t word) const {
        if (!find(node, word)) tables_.prefetch_pair(node, word);
    }

  private:
    // Words are kept in the first of two neighbours, older ones in the second; phrases, newest first, among
    // the four that share a line of the cache.
    static constexpr std::uint32_t kWordBits = 14, kPhraseBits = 16;
    static constexpr std::size_t kLongest = 23;
    struct KnownWord {
        Word word;
        std::uint32_t hash = 0;
        std::uint8_t length = 0xFF;  // none has this length
        char text[kLongest];
    };
    struct KnownPhrase {
        std::uint32_t node = kNone, longer = 0, list = 0;
        std::uint16_t word = 0, count : 15 = 0, grows : 1 = 0;
    };
    struct alignas(64) Line {
        KnownPhrase phrases[4];
    };

    const Tables& tables_;
    bool normalize_;
    std::vector<KnownWord> words_;
    std::vector<Line> phrases_;
    Word long_word_;

    static std::size_t place(std::uint32_t node, std::uint32_t word) {
        return (node * 0x9E3779B1u ^ word * 0x85EBCA6Bu) >> (32 - kPhraseBits);
    }
    const KnownPhrase* find(std::uint32_t node, std::uint32_t word) const {
        for (const KnownPhrase& known : phrases_[place(node, word)].phrases) {
            if (known.node == node && known.word == word) return &known;
        }
        return nullptr;
    }
    Word look_up(std::string_view token, std::uint32_t hash) const;
    Phrase look_up(std::uint32_t node, std::uint32_t word);
    Phrase phrase(std::uint32_t node) const;
};

// Lexicons that are not in use; a later call takes one over with its caches.
class LexiconPool {
  public:
    explicit LexiconPool(const Tables& tables) : tables_(tables) {}
    const Tables& tables() const { return tables_; }
    std::unique_ptr<Lexicon> take(bool normalize);
    void put_back(std::unique_ptr<Lexicon> lexicon);

  private:
    const Tables& tables_;
    std::mutex lock_;
    std::vector<std::unique_ptr<Lexicon>> resting_;
};

}  // namespace storymeter::meteor
