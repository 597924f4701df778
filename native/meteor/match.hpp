// Finds the matches of words and phrases of two sentences that the aligner chooses from: equal words, equal
// stems, common synsets, paraphrases (Denkowski and Lavie, Meteor Universal, WMT 2014).
//
// One test is compared with many references at a time: their words and phrases are indexed once, so that
// comparing all with all costs little more per pair than the matches it finds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "groups.hpp"
#include "sentence.hpp"

namespace storymeter::meteor {

enum Module : std::uint8_t { kExact, kStem, kSynonym, kParaphrase, kModules };

// `test` is the hypothesis, `ref` the reference; both lengths are 1 except for paraphrases.
struct Match {
    std::uint32_t ref, test;
    std::uint8_t ref_length, test_length;
    Module module;
};

// Candidates grouped by where they start in the reference: matches[begins[j]] .. matches[begins[j + 1] - 1];
// within a group by module, then as the original lists them. The same pair of words may be there several
// times, once per module.
struct Candidates {
    std::span<const Match> matches;
    std::span<const std::uint32_t> begins;

    std::uint32_t ref_size() const { return static_cast<std::uint32_t>(begins.size() - 1); }
    std::span<const Match> all() const {
        return matches.subspan(begins.front(), begins.back() - begins.front());
    }
};

class Matcher {
  public:
    explicit Matcher(const Tables& tables) : tables_(tables) {}

    // What `find` compares with from now on. The sentences must stay where they are.
    void against(std::span<const Sentence* const> refs);
    // Stops and returns false once there are more than `limit` candidates.
    bool find(const Sentence& test, std::size_t limit);
    // What the last `find` found in one of the references.
    Candidates in(std::size_t ref) const {
        return {matches_, std::span(begins_).subspan(starts_[ref], starts_[ref + 1] - starts_[ref] + 1)};
    }

  private:
    struct Phrase {
        std::uint32_t start, length;
    };
    // A paraphrase in the order of the original: by the reference's phrase, its list, the place in the test.
    struct Ordered {
        std::uint64_t phrase_and_entry;
        std::uint32_t place;
        Match match;
    };

    const Tables& tables_;
    // The references one after the other: positions count through all of them.
    std::vector<const Sentence*> refs_;
    std::vector<std::uint32_t> starts_, owners_, hashes_;
    std::vector<Phrase> phrases_;
    Groups words_, stems_, sets_;       // of positions
    Groups nodes_;                      // of phrases
    std::vector<SynsetSet> sets_once_;  // each different set, each different phrase
    std::vector<Occurrence> lists_once_;
    Groups synsets_, paraphrases_;                           // of the entries of these
    std::vector<std::uint32_t> set_numbers_, phrase_nodes_;  // by entry: whose it is
    std::vector<std::uint64_t> asked_;                       // the last question that found a set
    std::uint64_t question_ = 0;

    std::vector<Match>
        lists_[5];  // exact, stem, synonym, paraphrases of the references' and of the test's phrases
    std::vector<Ordered> ordered_;
    std::vector<Match> matches_;
    std::vector<std::uint32_t> begins_;

    bool words(const Sentence& test, std::size_t limit);
    bool paraphrases(const Sentence& test, std::size_t limit);
    void only_exact_where_identical(const Sentence& test);
    void group();
};

bool identical(const Sentence& a, const Sentence& b);

}  // namespace storymeter::meteor
