// The candidates of one test and one reference of up to 64 words: what Matcher finds for crowds, without an
// index of the reference. The test's words and stems are hashed to masks of their places; its synsets and
// phrases to small tables that rule out nearly all members of the reference's sets and lists. The reference
// is read once, from left to right, which gives the candidates in their final order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "match.hpp"

namespace storymeter::meteor {

class PairMatcher {
  public:
    explicit PairMatcher(const Tables& tables) : tables_(tables) {}

    static bool fits(const Sentence& sentence) {
        return sentence.size() <= 64 && sentence.occurrences.size() <= 64;
    }

    // Both sentences must fit; the test must stay where it is.
    void meet(const Sentence& test);
    Candidates find(const Sentence& ref);

  private:
    static std::size_t slot(std::uint32_t number, std::size_t size) {
        return (number * 0x9E3779B1u) / (0x100000000 / size);
    }

    // Which of up to 64 things may have a number.
    template <std::size_t Size>
    class Places {
      public:
        void clear() { masks_.fill(0); }
        void add(std::uint32_t number, std::uint32_t place) {
            masks_[slot(number, Size)] |= std::uint64_t{1} << place;
        }
        std::uint64_t of(std::uint32_t number) const { return masks_[slot(number, Size)]; }

      private:
        std::array<std::uint64_t, Size> masks_;
    };

    // Whether a number may have been added: 0 if it was not, more than 1 only if that slot was hit again.
    template <std::size_t Size>
    class Seen {
      public:
        void clear() { times_.fill(0); }
        void add(std::uint32_t number) {
            std::uint8_t& times = times_[slot(number, Size)];
            times |= static_cast<std::uint8_t>(2 * times + 1);  // 0, 1, 3, 7, ...
        }
        std::uint32_t times(std::uint32_t number) const { return times_[slot(number, Size)]; }

      private:
        std::array<std::uint8_t, Size> times_;
    };

    // The same, and who added it last: the only one if the slot was hit once.
    template <std::size_t Size>
    class Owned : public Seen<Size> {
      public:
        void add(std::uint32_t number, std::size_t owner) {
            Seen<Size>::add(number);
            owners_[slot(number, Size)] = static_cast<std::uint8_t>(owner);
        }
        std::size_t owner(std::uint32_t number) const { return owners_[slot(number, Size)]; }

      private:
        std::array<std::uint8_t, Size> owners_;
    };

    // A word of the test that has synsets, and all its places.
    struct Kind {
        std::uint32_t hash;
        SynsetSet set;
        std::uint64_t places;
    };

    const Tables& tables_;
    const Sentence* test_ = nullptr;
    Places<64> words_, stems_;
    Owned<4096> synsets_;
    Seen<2048> phrases_, ref_phrases_;
    std::vector<Kind> kinds_;
    std::vector<Match> reverse_;  // paraphrases of the test's phrases
    std::vector<Match> matches_;
    std::vector<std::uint32_t> begins_;

    std::span<const std::uint32_t> entries(std::uint32_t offset, std::uint32_t count) const {
        return {tables_.at(offset), count};
    }
    void add_synsets(std::uint32_t place);
    void words(const Sentence& ref, std::uint32_t j, bool only_exact);
    std::uint64_t synonyms(const SynsetSet& set, std::uint64_t same) const;
    void paraphrases(const Occurrence& phrase);
    void find_reverse(const Sentence& ref);
};

}  // namespace storymeter::meteor
