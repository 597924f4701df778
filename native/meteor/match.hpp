// Which words and phrases of two sentences could belong together: the candidates the aligner chooses from.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sentence.hpp"

namespace storymeter::meteor {

enum Module : std::uint8_t { kExact, kStem, kSynonym, kParaphrase, kModules };

// `test` is the hypothesis, `ref` the reference; both lengths are 1 except for paraphrases.
struct Match {
    std::uint32_t ref, test;
    std::uint8_t ref_length, test_length;
    Module module;
};

// Candidates grouped by where they start in the reference; within a group by module, then as the original lists them.
// The same pair of words may be there several times, once per module.
struct Candidates {
    std::vector<Match> matches;
    std::vector<std::uint32_t> begins;  // ref.size() + 1
    std::vector<std::uint32_t> test_cover, ref_cover;  // how many candidates cover a position
};

class Matcher {
public:
    explicit Matcher(const Tables& tables) : tables_(tables) {}

    // Stops and returns false once there are more than `limit` candidates. What is known of `test` is kept for the next call
    // with the same object, until `forget`.
    bool find(const Sentence& test, const Sentence& ref, std::size_t limit, Candidates& out);
    void forget() { test_ = nullptr; }

private:
    // Small sets that may say yes wrongly, but never no.
    static constexpr std::uint32_t kFilterBits = 4096;
    class Filter {
    public:
        void add(std::uint32_t x) { bits_[slot(x) / 64] |= std::uint64_t{1} << (slot(x) % 64); }
        bool has(std::uint32_t x) const { return bits_[slot(x) / 64] >> (slot(x) % 64) & 1; }
        void clear() { bits_.fill(0); }

    private:
        std::array<std::uint64_t, kFilterBits / 64> bits_{};
        static std::uint32_t slot(std::uint32_t x) { return x * 0x9E3779B1u >> 20; }
    };
    // synset -> the words of the test that have it, one bit each
    static constexpr std::uint32_t kSlots = 4096, kMostSynsets = 2048;
    struct SynsetSlot {
        std::uint32_t synset;
        std::uint64_t words;
    };

    const Tables& tables_;
    const Sentence* test_ = nullptr;
    bool indexed_ = false;  // the synsets of the test are in slots_
    Filter stems_, synsets_, test_nodes_, ref_nodes_;
    std::vector<SynsetSlot> slots_ = std::vector<SynsetSlot>(kSlots);
    std::vector<std::uint32_t> taken_;  // slots to empty again
    std::vector<Match> lists_[5];       // exact, stem, synonym, paraphrases of the reference's and of the test's phrases

    void prepare(const Sentence& test);
    SynsetSlot& slot(std::uint32_t synset);
    std::uint64_t words_with(SynsetSet set);
    bool common_synset(SynsetSet a, SynsetSet b) const;
    bool words(const Sentence& test, const Sentence& ref, bool exact_only, std::size_t limit);
    bool paraphrases(const Sentence& from, const Sentence& to, const Filter& nodes, bool from_ref, std::size_t limit);
    void group(const Sentence& test, const Sentence& ref, Candidates& out);
};

bool identical(const Sentence& a, const Sentence& b);

}  // namespace storymeter::meteor
