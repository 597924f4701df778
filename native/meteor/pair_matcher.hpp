// The candidates of one test and one reference of up to 64 words: what Matcher finds for crowds, without an
// index of the reference. The test's words, stems, synsets and phrases are hashed to masks of their places;
// the reference is read once, from left to right, which gives the candidates in their final order.
#pragma once

#include <array>
#include <cstdint>
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
    // Which of up to 64 things may have a number.
    template <std::size_t Size>
    class Places {
      public:
        void clear() { masks_.fill(0); }
        void add(std::uint32_t number, std::uint32_t place) {
            masks_[slot(number)] |= std::uint64_t{1} << place;
        }
        std::uint64_t of(std::uint32_t number) const { return masks_[slot(number)]; }

      private:
        std::array<std::uint64_t, Size> masks_;
        static std::size_t slot(std::uint32_t number) {
            return (number * 0x9E3779B1u) / (0x100000000 / Size);
        }
    };

    const Tables& tables_;
    const Sentence* test_ = nullptr;
    Places<64> words_, stems_;
    Places<512> synsets_;
    Places<256> phrases_, ref_phrases_;
    std::vector<Match> reverse_;  // paraphrases of the test's phrases
    std::vector<Match> matches_;
    std::vector<std::uint32_t> begins_;

    void words(const Sentence& ref, std::uint32_t j, bool only_exact);
    std::uint64_t synonyms(const SynsetSet& set) const;
    void paraphrases(const Occurrence& phrase);
    void find_reverse(const Sentence& ref);
};

}  // namespace storymeter::meteor
