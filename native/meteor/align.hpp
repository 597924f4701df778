// METEOR's aligner: a beam search over the reference that chooses non-overlapping matches.
//
// Paths are ordered by weight (most first), chunks (fewest first) and distance (least first); ties keep their
// order, and the first 40 live on. This order is part of the definition, quirks included: the parent of a new
// path, not the path itself, is charged with the distance of the match; a match that is not exact weighs half
// its words, rounded down.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "match.hpp"
#include "pair_matcher.hpp"

namespace storymeter::meteor {

inline constexpr std::uint32_t kBeam = 40;
// Up to here the alignment is the original's. Beyond (texts no caption comes near), sentences are cut into
// windows of kWindow words, and the n-th window of one is aligned with the n-th of the other, along the best
// path only: time stays linear.
inline constexpr std::uint32_t kLongest = 4096;
inline constexpr std::size_t kMostCandidates = std::size_t{1} << 23;
inline constexpr std::uint32_t kWindow = 16, kWindowBeam = 1;

class Aligner {
  public:
    // `beam` is 40 except in tests.
    explicit Aligner(const Tables& tables, std::uint32_t beam = kBeam);
    ~Aligner();

    // The references that tests meet from now on, and a test that meets them; all must stay where they are.
    // Many tests (or a few): whether an index of the references is worth its time.
    void against(std::span<const Sentence* const> refs, bool many_tests);
    void meet(const Sentence& test);
    // The chosen matches with one of the references, by reference position.
    const std::vector<Match>& align(std::size_t ref);

  private:
    struct Search;
    std::unique_ptr<Search> search_;
    std::uint32_t beam_;
    std::vector<const Sentence*> refs_;
    const Sentence* test_ = nullptr;
    Matcher crowd_, alone_;
    PairMatcher pair_;
    bool short_ = true;    // there is a crowd, and no reference is too long for it
    bool paired_ = false;  // the test is short enough to be paired
    bool found_ = false;   // the crowd's candidates are not too many
    std::vector<Match> chosen_;
    std::vector<std::uint8_t> fixed_, test_cover_, ref_cover_;

    bool find_alone(const Sentence& test, const Sentence& ref);
    void choose(const Candidates& candidates, std::uint32_t test_size, std::uint32_t beam);
    void align_windows(const Sentence& test, const Sentence& ref);
};

}  // namespace storymeter::meteor
