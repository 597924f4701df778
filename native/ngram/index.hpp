// Sentences as numbers: words, n-grams of orders 1-4 with their counts, each distinct sentence analysed once.
//
// An index is filled by its constructor and never changes afterwards, so any number of threads may read it. A
// second index may stand on a first (`base`): it reuses the base's numbers and adds its own after them, so
// that sentences can be compared with a fitted corpus without touching it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace storymeter {

inline constexpr int kOrders = 4;

struct Gram {
    std::uint32_t id;
    std::uint32_t count;
};

// 64-bit keys to 32-bit numbers, open addressing; a key is never removed.
class KeyTable {
  public:
    static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;
    std::uint32_t find(std::uint64_t key) const;
    void insert(std::uint64_t key, std::uint32_t value);  // the key must be absent
    template <typename Take>
    void each(Take&& take) const {
        for (const Slot& slot : slots_)
            if (slot.value != kAbsent) take(slot.key, slot.value);
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t value = kAbsent;
    };
    std::size_t place(std::uint64_t key) const;
    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::size_t used_ = 0;
};

class NgramIndex {
  public:
    // `orders` 0 leaves the n-grams out (ROUGE-L needs none).
    NgramIndex(std::span<const std::string> lines, int orders,
               std::shared_ptr<const NgramIndex> base = nullptr);

    // The sentence number of each line given to the constructor.
    const std::vector<std::uint32_t>& ids() const { return ids_; }
    std::size_t sentences() const { return first_sentence_ + own_.size(); }
    std::size_t words() const { return words_; }
    std::size_t grams() const { return grams_; }
    const std::shared_ptr<const NgramIndex>& base() const { return base_; }
    std::size_t first_sentence() const { return first_sentence_; }

    // A hash of the words of each n-gram, by its id: the same wherever and in whatever order it was met. An
    // index that stands on another has none.
    std::vector<std::uint64_t> gram_hashes() const;

    // How many words a sentence has when it is cut at white space, as BLEU and CIDEr do.
    std::uint32_t length(std::uint32_t sentence) const { return at(sentence).length; }
    // The n-grams of one order (1-4), by ascending id.
    std::span<const Gram> grams(std::uint32_t sentence, int order) const;
    // The words between single blanks, as ROUGE-L cuts: "7\u00A01/2" is one word, and "" is one empty word.
    std::span<const std::uint32_t> blank_words(std::uint32_t sentence) const;

  private:
    struct Sentence {
        std::uint32_t length = 0;
        std::size_t first_word = 0;
        std::size_t end_word = 0;
        std::array<std::size_t, kOrders + 1> gram_bounds{};
    };
    const Sentence& at(std::uint32_t sentence) const;
    std::uint32_t add(const std::string& line, int orders);
    std::uint32_t word(std::string_view text);
    std::uint32_t gram(std::uint32_t prefix, std::uint32_t word);

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using TextTable = std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>>;

    std::shared_ptr<const NgramIndex> base_;
    std::size_t first_sentence_ = 0;
    std::size_t words_ = 0;
    std::size_t grams_ = 0;
    TextTable sentence_table_;
    TextTable word_table_;
    KeyTable gram_table_;
    std::vector<Sentence> own_;
    std::vector<std::uint32_t> blank_words_;
    std::vector<Gram> all_grams_;
    std::vector<std::uint32_t> ids_;
};

}  // namespace storymeter
