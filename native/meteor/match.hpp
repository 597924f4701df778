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
    // Ask for the memory that a sentence's comparison will need.
    void prefetch(const Sentence& sentence) const;

private:
    // A small set that may say yes wrongly, but never no.
    class Filter {
    public:
        void add(std::uint32_t x) { bits_[x / 64 % kWords] |= std::uint64_t{1} << (x % 64); }
        bool has(std::uint32_t x) const { return bits_[x / 64 % kWords] >> (x % 64) & 1; }
        bool any(const std::uint32_t* four) const { return has(four[0]) | has(four[1]) | has(four[2]) | has(four[3]); }
        void clear() { bits_.fill(0); }

    private:
        static constexpr std::size_t kWords = 64;
        std::array<std::uint64_t, kWords> bits_{};
    };
    // A bucket of synsets -> the words of the test that have one of them, one bit each; two hashes, so that few err.
    static constexpr std::uint32_t kBuckets = 1024, kMostSynsets = 2048;
    struct Buckets {
        std::uint32_t first, second;
        explicit Buckets(std::uint32_t synset) : first(synset * 0x9E3779B1u >> 22), second(synset * 0x9E3779B1u >> 12 & (kBuckets - 1)) {}
    };

    const Tables& tables_;
    const Sentence* test_ = nullptr;
    bool indexed_ = false;  // the synsets of the test are in first_ and second_
    Filter stems_, test_nodes_, ref_nodes_;
    std::array<std::uint64_t, kBuckets> first_{}, second_{};
    std::vector<Match> lists_[5];       // exact, stem, synonym, paraphrases of the reference's and of the test's phrases

    void prepare(const Sentence& test);
    std::uint64_t words_like(SynsetSet set) const;
    bool common_synset(SynsetSet a, SynsetSet b) const;
    bool words(const Sentence& test, const Sentence& ref, bool exact_only, std::size_t limit);
    bool paraphrases(const Sentence& from, const Sentence& to, const Filter& nodes, bool from_ref, std::size_t limit);
    void group(const Sentence& test, const Sentence& ref, Candidates& out);
};

bool identical(const Sentence& a, const Sentence& b);

}  // namespace storymeter::meteor
