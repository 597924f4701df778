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
    for (std::uint32_t i = 0; i < test.size(); ++i) {
        words_.add(test.hashes[i], i);
        stems_.add(test.stems[i], i);
        const std::uint32_t* const set = tables_.at(test.synsets[i].offset);
        for (std::uint32_t k = 0; k < test.synsets[i].count; ++k) synsets_.add(set[k], i);
    }
    for (std::uint32_t place = 0; place < test.occurrences.size(); ++place)
        phrases_.add(test.occurrences[place].node, place);
}

// Places in the test whose set has a member in common with this one.
std::uint64_t PairMatcher::synonyms(const SynsetSet& set) const {
    const std::uint32_t* const members = tables_.at(set.offset);
    std::uint64_t found = 0;
    for (std::uint32_t k = 0; k < set.count; ++k) {
        each_bit(synsets_.of(members[k]) & ~found, [&](std::uint32_t i) {
            const SynsetSet& other = test_->synsets[i];
            const std::uint32_t* const begin = tables_.at(other.offset);
            if (std::find(begin, begin + other.count, members[k]) != begin + other.count)
                found |= std::uint64_t{1} << i;
        });
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
    each_bit(synonyms(ref.synsets[j]) & ~same,
             [&](std::uint32_t i) { matches_.push_back({j, i, 1, 1, kSynonym}); });
}

void PairMatcher::paraphrases(const Occurrence& phrase) {
    const std::uint32_t* const list = tables_.at(phrase.list);
    for (std::uint32_t k = 0; k < phrase.count; ++k) {
        each_bit(phrases_.of(list[k]), [&](std::uint32_t place) {
            const Occurrence& o = test_->occurrences[place];
            if (o.node == list[k]) matches_.push_back(paraphrase(phrase, o));
        });
    }
}

void PairMatcher::find_reverse(const Sentence& ref) {
    reverse_.clear();
    ref_phrases_.clear();
    for (std::uint32_t p = 0; p < ref.occurrences.size(); ++p) ref_phrases_.add(ref.occurrences[p].node, p);
    for (const Occurrence& o : test_->occurrences) {
        const std::uint32_t* const list = tables_.at(o.list);
        for (std::uint32_t k = 0; k < o.count; ++k) {
            each_bit(ref_phrases_.of(list[k]), [&](std::uint32_t p) {
                const Occurrence& phrase = ref.occurrences[p];
                if (phrase.node == list[k]) reverse_.push_back(paraphrase(phrase, o));
            });
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
    return {matches_.data(), begins_};
}

}  // namespace storymeter::meteor
