#include "align.hpp"

#include <algorithm>

#include "beam.hpp"
#include "short_beam.hpp"

namespace storymeter::meteor {

struct Aligner::Search {
    ShortBeam brief;
    Beam general;
};

Aligner::Aligner(const Tables& tables, std::uint32_t beam)
    : search_(std::make_unique<Search>()), beam_(beam), crowd_(tables), alone_(tables), pair_(tables) {}
Aligner::~Aligner() = default;

void Aligner::against(std::span<const Sentence* const> refs, bool many_tests) {
    refs_.assign(refs.begin(), refs.end());
    short_ = many_tests && std::all_of(refs_.begin(), refs_.end(),
                                       [](const Sentence* ref) { return ref->size() <= kLongest; });
    if (short_) crowd_.against(refs);
}

void Aligner::meet(const Sentence& test) {
    test_ = &test;
    found_ = short_ && test.size() <= kLongest && crowd_.find(test, kMostCandidates);
    paired_ = !short_ && PairMatcher::fits(test);
    if (paired_) pair_.meet(test);
}

const std::vector<Match>& Aligner::align(std::size_t k) {
    const Sentence& test = *test_;
    const Sentence& ref = *refs_[k];
    chosen_.clear();
    if (test.size() == 0 || ref.size() == 0) return chosen_;
    if (found_) {
        choose(crowd_.in(k), test.size(), beam_);
    } else if (paired_ && PairMatcher::fits(ref)) {
        choose(pair_.find(ref), test.size(), beam_);
    } else if (std::max(test.size(), ref.size()) <= kLongest && find_alone(test, ref)) {
        choose(alone_.in(0), test.size(), beam_);
    } else {
        align_windows(test, ref);
    }
    return chosen_;
}

bool Aligner::find_alone(const Sentence& test, const Sentence& ref) {
    const Sentence* const one = &ref;
    alone_.against({&one, 1});
    return alone_.find(test, kMostCandidates);
}

// A candidate that touches no other is settled before the search; what is left is searched.
void Aligner::choose(const Candidates& candidates, std::uint32_t test_size, std::uint32_t beam) {
    const std::uint32_t ref_size = candidates.ref_size();
    test_cover_.assign(test_size, 0);
    ref_cover_.assign(ref_size, 0);
    const auto cover = [](std::uint8_t& times) {
        times |= static_cast<std::uint8_t>(times + 1);
    };  // 0, 1, more
    for (const Match& m : candidates.all()) {
        for (std::uint32_t k = 0; k < m.ref_length; ++k) cover(ref_cover_[m.ref + k]);
        for (std::uint32_t k = 0; k < m.test_length; ++k) cover(test_cover_[m.test + k]);
    }
    fixed_.assign(ref_size, 0);
    std::size_t open = candidates.all().size();
    for (const Match& m : candidates.all()) {
        bool alone = true;
        for (std::uint32_t k = 0; k < m.ref_length; ++k) alone = alone && ref_cover_[m.ref + k] == 1;
        for (std::uint32_t k = 0; k < m.test_length; ++k) alone = alone && test_cover_[m.test + k] == 1;
        fixed_[m.ref] |= alone;  // it is the only one that starts here
        open -= alone;
    }
    chosen_.clear();
    if (open == 0) {
        chosen_.assign(candidates.all().begin(), candidates.all().end());
    } else if (ShortBeam::fits(test_size, ref_size, open, beam)) {
        search_->brief.run(candidates, fixed_, beam, chosen_);
    } else {
        search_->general.run(candidates, fixed_, test_size, beam, chosen_);
    }
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
    const auto first =
        std::lower_bound(whole.occurrences.begin(), whole.occurrences.end(), begin,
                         [](const Occurrence& o, std::uint32_t start) { return o.start < start; });
    for (auto o = first; o != whole.occurrences.end() && o->start < end; ++o) {
        if (o->start + o->length > end) continue;
        part.occurrences.push_back(*o);
        part.occurrences.back().start -= begin;
    }
    return part;
}

}  // namespace

void Aligner::align_windows(const Sentence& test, const Sentence& ref) {
    std::vector<Match> all;
    if (identical(test, ref)) {
        for (std::uint32_t k = 0; k < ref.size(); ++k) all.push_back({k, k, 1, 1, kExact});
    } else {
        for (std::uint32_t begin = 0; begin < std::min(test.size(), ref.size()); begin += kWindow) {
            const Sentence t = window(test, begin), r = window(ref, begin);
            find_alone(t, r);  // never too many: windows are short
            choose(alone_.in(0), t.size(), kWindowBeam);
            for (Match m : chosen_) {
                m.ref += begin;
                m.test += begin;
                all.push_back(m);
            }
        }
    }
    chosen_.swap(all);
}

}  // namespace storymeter::meteor
