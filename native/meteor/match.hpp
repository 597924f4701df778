// Which words and phrases of two sentences could belong together: the candidates the aligner chooses from.
#pragma once

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
    // Stops and returns false once there are more than `limit` candidates.
    bool find(const Sentence& test, const Sentence& ref, std::size_t limit, Candidates& out);

private:
    static constexpr std::uint32_t kFilterBits = 4096, kMemory = 1 << 14;
    const Tables& tables_;
    std::vector<Match> lists_[5];  // exact, stem, synonym, paraphrase of the reference's and of the test's phrases
    std::vector<std::uint64_t> filter_ = std::vector<std::uint64_t>(kFilterBits / 64);

    std::vector<std::uint64_t> memory_ = std::vector<std::uint64_t>(kMemory);  // two sets and whether they meet

    bool common_synset(const Word& a, const Word& b);
    bool words(const Sentence& test, const Sentence& ref, bool exact_only, std::size_t limit);
    bool paraphrases(const Sentence& from, const Sentence& to, bool from_ref, std::size_t limit);
    void group(const Sentence& test, const Sentence& ref, Candidates& out);
};

bool identical(const Sentence& a, const Sentence& b);

}  // namespace storymeter::meteor
