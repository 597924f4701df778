#include "pair_matcher.hpp"

#include <algorithm>
#include <bit>

namespace storymeter::meteor {
namespace {

template <typename Body>
void each_bit(std::uint64_t mask, Body&& body) {
    for (; mask != 0; mask &= mask - 1) body(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

Match paraphrase(const Occurrence& ref, const Occurrence& test) {
    return {ref.start, test.start, static_cast<std::uint8_t>(ref.length),
            static_cast<std::uint8_t>(test.length), kParaphrase};
}

}  // namespace

void PairMatcher::meet(const Sentence& test) {
    test_ = &test;
    words_.clear();
    stems_.clear();
    synsets_.clear();
    phrases_.clear();
    kinds_.clear();
    for (std::uint32_t i = 0; i < test.size(); ++i) {
        words_.add(test.hashes[i], i);
        stems_.add(test.stems[i], i);
        if (test.synsets[i].count != 0) add_synsets(i);
    }
    for (const Occurrence& o : test.occurrences) phrases_.add(o.node);
}

void PairMatcher::add_synsets(std::uint32_t i) {
    const std::uint32_t hash = test_->hashes[i];
    const SynsetSet& set = test_->synsets[i];
    for (Kind& kind : kinds_) {
        if (kind.hash != hash || kind.set.offset != set.offset) continue;
        kind.places |= std::uint64_t{1} << i;
        return;
    }
    for (const std::uint32_t member : entries(set.offset, set.count)) synsets_.add(member, kinds_.size());
    kinds_.push_back({hash, set, std::uint64_t{1} << i});
}

// Places in the test, outside of those with the same word, whose set has a member in common with this one.
std::uint64_t PairMatcher::synonyms(const SynsetSet& set, std::uint64_t same) const {
    // an equal word of the test has added each member once
    const bool ours =
        same != 0 && test_->synsets[static_cast<std::size_t>(std::countr_zero(same))].offset == set.offset;
    const std::uint32_t enough = ours ? 2 : 1;
    const auto list = entries(set.offset, set.count);
    std::uint32_t most = 0;
    for (const std::uint32_t member : list) most |= synsets_.times(member);
    if (most < enough) return 0;
    std::uint64_t found = 0;
    const auto look = [&](const Kind& kind, std::uint32_t member) {
        if (kind.places & (found | same)) return;
        const auto others = entries(kind.set.offset, kind.set.count);
        if (std::find(others.begin(), others.end(), member) != others.end()) found |= kind.places;
    };
    for (const std::uint32_t member : list) {
        const std::uint32_t times = synsets_.times(member);
        if (times < enough) continue;
        if (times == 1) {
            look(kinds_[synsets_.owner(member)], member);
        } else {
            for (const Kind& kind : kinds_) look(kind, member);
        }
    }
    return found;
}

void PairMatcher::words(const Sentence& ref, std::uint32_t j, bool only_exact) {
    const Sentence& test = *test_;
    const std::uint32_t hash = ref.hashes[j], stem = ref.stems[j];
    std::uint64_t same = 0;
    each_bit(words_.of(hash), [&](std::uint32_t i) {
        if (test.hashes[i] != hash) return;
        same |= std::uint64_t{1} << i;
        matches_.push_back({j, i, 1, 1, kExact});
    });
    if (only_exact) return;
    each_bit(stems_.of(stem) & ~same, [&](std::uint32_t i) {
        if (test.stems[i] == stem) matches_.push_back({j, i, 1, 1, kStem});
    });
    if (ref.synsets[j].count == 0) return;
    each_bit(synonyms(ref.synsets[j], same),
             [&](std::uint32_t i) { matches_.push_back({j, i, 1, 1, kSynonym}); });
}

void PairMatcher::paraphrases(const Occurrence& phrase) {
    for (const std::uint32_t node : entries(phrase.list, phrase.count)) {
        if (phrases_.times(node) == 0) continue;
        for (const Occurrence& o : test_->occurrences) {
            if (o.node == node) matches_.push_back(paraphrase(phrase, o));
        }
    }
}

void PairMatcher::find_reverse(const Sentence& ref) {
    reverse_.clear();
    ref_phrases_.clear();
    for (const Occurrence& o : ref.occurrences) ref_phrases_.add(o.node);
    for (const Occurrence& o : test_->occurrences) {
        for (const std::uint32_t node : entries(o.list, o.count)) {
            if (ref_phrases_.times(node) == 0) continue;
            for (const Occurrence& phrase : ref.occurrences) {
                if (phrase.node == node) reverse_.push_back(paraphrase(phrase, o));
            }
        }
    }
}

// At each position of the reference by module, then as Matcher lists them.
Candidates PairMatcher::find(const Sentence& ref) {
    const bool only_exact = identical(*test_, ref);
    matches_.clear();
    begins_.clear();
    if (!only_exact) find_reverse(ref);
    std::size_t p = 0;
    for (std::uint32_t j = 0; j < ref.size(); ++j) {
        begins_.push_back(static_cast<std::uint32_t>(matches_.size()));
        words(ref, j, only_exact);
        if (only_exact) continue;
        for (; p < ref.occurrences.size() && ref.occurrences[p].start == j; ++p)
            paraphrases(ref.occurrences[p]);
        for (const Match& m : reverse_) {
            if (m.ref == j) matches_.push_back(m);
        }
    }
    begins_.push_back(static_cast<std::uint32_t>(matches_.size()));
    return {matches_, begins_};
}

}  // namespace storymeter::meteor
