// METEOR's aligner: a beam search over the reference that chooses non-overlapping matches.
//
// Paths are ordered by weight (most first), chunks (fewest first) and distance (least first); ties keep their order, and the
// first 40 live on. This order is part of the definition, quirks included: the parent of a new path, not the path itself, is
// charged with the distance of the match; a match that is not exact weighs half its words, rounded down.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "match.hpp"

namespace storymeter::meteor {

inline constexpr std::uint32_t kBeam = 40;
// Up to here the alignment is the original's. Beyond (texts no caption comes near), sentences are cut into windows of
// kWindow words, and the n-th window of one is aligned with the n-th of the other: time stays linear.
inline constexpr std::uint32_t kLongest = 4096;
inline constexpr std::size_t kMostCandidates = std::size_t{1} << 23;
inline constexpr std::uint32_t kWindow = 32;

class Aligner {
public:
    explicit Aligner(const Tables& tables);
    ~Aligner();
    // The chosen matches, by reference position. `beam` is 40 except in tests.
    const std::vector<Match>& align(const Sentence& test, const Sentence& ref, std::uint32_t beam = kBeam);
    void prefetch(const Sentence& sentence) const { matcher_.prefetch(sentence); }

private:
    struct Search;
    std::unique_ptr<Search> search_;
    Matcher matcher_;
    Candidates candidates_;
    std::vector<Match> chosen_;
    std::vector<std::uint8_t> fixed_;

    void choose(std::uint32_t test_size, std::uint32_t ref_size, std::uint32_t beam);
    void align_windows(const Sentence& test, const Sentence& ref, std::uint32_t beam);
};

}  // namespace storymeter::meteor
