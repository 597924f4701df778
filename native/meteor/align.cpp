#include "align.hpp"

#include <algorithm>

#include "beam.hpp"
#include "short_beam.hpp"

namespace storymeter::meteor {

struct Aligner::Search {
    ShortBeam brief;
    Beam general;
};

Aligner::Aligner(const Tables& tables) : search_(std::make_unique<Search>()), matcher_(tables) {}
Aligner::~Aligner() = default;

// A candidate that touches no other is settled before the search; what is left is searched.
void Aligner::choose(std::uint32_t test_size, std::uint32_t ref_size, std::uint32_t beam) {
    const auto& [matches, begins, test_cover, ref_cover] = candidates_;
    fixed_.assign(ref_size, 0);
    std::size_t open = 0;
    for (std::uint32_t j = 0; j < ref_size; ++j) {
        const std::size_t count = begins[j + 1] - begins[j];
        bool alone = count == 1;
        if (alone) {
            const Match& m = matches[begins[j]];
            for (std::uint32_t k = 0; k < m.ref_length; ++k) alone = alone && ref_cover[m.ref + k] == 1;
            for (std::uint32_t k = 0; k < m.test_length; ++k) alone = alone && test_cover[m.test + k] == 1;
        }
        fixed_[j] = alone;
        if (!alone) open += count;
    }
    chosen_.clear();
    if (open == 0) {
        chosen_.assign(matches.begin(), matches.end());
    } else if (ShortBeam::fits(test_size, ref_size, open, beam)) {
        search_->brief.run(candidates_, fixed_, beam, chosen_);
    } else {
        search_->general.run(candidates_, fixed_, test_size, beam, chosen_);
    }
}

const std::vector<Match>& Aligner::align(const Sentence& test, const Sentence& ref, std::uint32_t beam) {
    chosen_.clear();
    if (test.size() == 0 || ref.size() == 0) return chosen_;
    if (std::max(test.size(), ref.size()) <= kLongest && matcher_.find(test, ref, kMostCandidates, candidates_)) {
        choose(test.size(), ref.size(), beam);
    } else {
        align_windows(test, ref, beam);
    }
    return chosen_;
}

namespace {

Sentence window(const Sentence& whole, std::uint32_t begin) {
    const std::uint32_t end = std::min(begin + kWindow, whole.size());
    Sentence part;
    const auto cut = [&](auto& to, const auto& from) { to.assign(from.begin() + begin, from.begin() + end); };
    cut(part.hashes, whole.hashes);
    cut(part.stems, whole.stems);
    cut(part.synsets, whole.synsets);
    cut(part.function, whole.function);
    for (const SynsetSet& set : part.synsets) part.synset_total += set.count;
    const auto first = std::lower_bound(whole.occurrences.begin(), whole.occurrences.end(), begin,
                                        [](const Occurrence& o, std::uint32_t start) { return o.start < start; });
    for (auto o = first; o != whole.occurrences.end() && o->start < end; ++o) {
        if (o->start + o->length > end) continue;
        part.occurrences.push_back(*o);
        part.occurrences.back().start -= begin;
    }
    return part;
}

}  // namespace

void Aligner::align_windows(const Sentence& test, const Sentence& ref, std::uint32_t beam) {
    std::vector<Match> all;
    if (identical(test, ref)) {
        for (std::uint32_t k = 0; k < ref.size(); ++k) all.push_back({k, k, 1, 1, kExact});
    } else {
        for (std::uint32_t begin = 0; begin < std::min(test.size(), ref.size()); begin += kWindow) {
            const Sentence t = window(test, begin), r = window(ref, begin);
            matcher_.forget();  // another window may lie where the last one lay
            matcher_.find(t, r, kMostCandidates, candidates_);
            choose(t.size(), r.size(), beam);
            for (Match m : chosen_) {
                m.ref += begin;
                m.test += begin;
                all.push_back(m);
            }
        }
    }
    matcher_.forget();
    chosen_.swap(all);
}

}  // namespace storymeter::meteor
