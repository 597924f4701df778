#include "match.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace storymeter::meteor {

bool identical(const Sentence& a, const Sentence& b) { return a.hashes == b.hashes; }

void Matcher::against(std::span<const Sentence* const> refs) {
    refs_.assign(refs.begin(), refs.end());
    std::size_t word_count = 0, phrase_count = 0, synset_count = 0, paraphrase_count = 0;
    for (const Sentence* ref : refs_) {
        word_count += ref->size();
        phrase_count += ref->occurrences.size();
    }
    for (Groups* groups : {&words_, &stems_, &sets_}) groups->clear(word_count);
    nodes_.clear(phrase_count);
    for (auto* list : {&starts_, &owners_, &hashes_, &set_numbers_, &phrase_nodes_}) list->clear();
    phrases_.clear();
    sets_once_.clear();
    lists_once_.clear();

    for (const Sentence* ref : refs_) {
        const auto start = static_cast<std::uint32_t>(hashes_.size());
        starts_.push_back(start);
        owners_.insert(owners_.end(), ref->size(), static_cast<std::uint32_t>(starts_.size() - 1));
        hashes_.insert(hashes_.end(), ref->hashes.begin(), ref->hashes.end());
        for (const std::uint32_t hash : ref->hashes) words_.add(hash);
        for (const std::uint32_t stem : ref->stems) stems_.add(stem);
        for (const SynsetSet& set : ref->synsets) {
            if (sets_.empty(set.offset)) {
                sets_once_.push_back(set);
                synset_count += set.count;
            }
            sets_.add(set.offset);
        }
        for (const Occurrence& o : ref->occurrences) {
            phrases_.push_back({start + o.start, o.length});
            if (nodes_.empty(o.node)) {
                lists_once_.push_back(o);
                paraphrase_count += o.count;
            }
            nodes_.add(o.node);
        }
    }
    starts_.push_back(static_cast<std::uint32_t>(hashes_.size()));

    synsets_.clear(synset_count);
    for (const SynsetSet& set : sets_once_) {
        for (std::uint32_t k = 0; k < set.count; ++k) synsets_.add(tables_.at(set.offset)[k]);
        set_numbers_.insert(set_numbers_.end(), set.count,
                            static_cast<std::uint32_t>(&set - sets_once_.data()));
    }
    asked_.assign(sets_once_.size(), 0);
    paraphrases_.clear(paraphrase_count);
    for (const Occurrence& o : lists_once_) {
        for (std::uint32_t k = 0; k < o.count; ++k) paraphrases_.add(tables_.at(o.list)[k]);
        phrase_nodes_.insert(phrase_nodes_.end(), o.count, o.node);
    }
}

bool Matcher::words(const Sentence& test, std::size_t limit) {
    for (std::uint32_t i = 0; i < test.size(); ++i) {
        const std::uint32_t hash = test.hashes[i];
        words_.each(hash, [&](std::uint32_t j) { lists_[kExact].push_back({j, i, 1, 1, kExact}); });
        stems_.each(test.stems[i], [&](std::uint32_t j) {
            if (hashes_[j] != hash) lists_[kStem].push_back({j, i, 1, 1, kStem});
        });
        ++question_;
        for (std::uint32_t k = 0; k < test.synsets[i].count; ++k) {
            synsets_.each(tables_.at(test.synsets[i].offset)[k], [&](std::uint32_t entry) {
                const std::uint32_t set = set_numbers_[entry];
                if (std::exchange(asked_[set], question_) == question_)
                    return;  // they have several synsets in common
                sets_.each(sets_once_[set].offset, [&](std::uint32_t j) {
                    if (hashes_[j] != hash) lists_[kSynonym].push_back({j, i, 1, 1, kSynonym});
                });
            });
        }
        if (lists_[kExact].size() + lists_[kStem].size() + lists_[kSynonym].size() > limit) return false;
    }
    return true;
}

// Paraphrases of the references' phrases that stand in the test: phrases by position and length, paraphrases
// in the order of the table, places in the test from left to right. Then the same the other way round.
bool Matcher::paraphrases(const Sentence& test, std::size_t limit) {
    ordered_.clear();
    for (std::uint32_t place = 0; place < test.occurrences.size(); ++place) {
        const Occurrence& o = test.occurrences[place];
        const auto length = static_cast<std::uint8_t>(o.length);
        paraphrases_.each(o.node, [&](std::uint32_t entry) {
            nodes_.each(phrase_nodes_[entry], [&](std::uint32_t p) {
                ordered_.push_back({std::uint64_t{p} << 32 | entry,
                                    place,
                                    {phrases_[p].start, o.start,
                                     static_cast<std::uint8_t>(phrases_[p].length), length, kParaphrase}});
            });
        });
        for (std::uint32_t k = 0; k < o.count; ++k) {
            nodes_.each(tables_.at(o.list)[k], [&](std::uint32_t p) {
                lists_[4].push_back({phrases_[p].start, o.start,
                                     static_cast<std::uint8_t>(phrases_[p].length), length, kParaphrase});
            });
        }
        if (ordered_.size() + lists_[4].size() > limit) return false;
    }
    std::sort(ordered_.begin(), ordered_.end(), [](const Ordered& a, const Ordered& b) {
        return std::tie(a.phrase_and_entry, a.place) < std::tie(b.phrase_and_entry, b.place);
    });
    for (const Ordered& o : ordered_) lists_[3].push_back(o.match);
    return true;
}

// Where two sentences are the same, the original looks no further than at equal words.
void Matcher::only_exact_where_identical(const Sentence& test) {
    const auto same = [&](const Sentence* ref) { return identical(test, *ref); };
    if (std::none_of(refs_.begin(), refs_.end(), same)) return;
    for (auto& list : lists_) {
        std::erase_if(list,
                      [&](const Match& m) { return m.module != kExact && same(refs_[owners_[m.ref]]); });
    }
}

// A stable counting sort by reference position; from here on positions count from the beginning of each
// reference.
void Matcher::group() {
    begins_.assign(hashes_.size() + 1, 0);
    for (const auto& list : lists_) {
        for (const Match& m : list) ++begins_[m.ref + 1];
    }
    for (std::size_t j = 1; j < begins_.size(); ++j) begins_[j] += begins_[j - 1];
    matches_.resize(begins_.back());
    for (const auto& list : lists_) {
        for (const Match& m : list) {
            Match& place = matches_[begins_[m.ref]++];
            place = m;
            place.ref -= starts_[owners_[m.ref]];
        }
    }
    // each begin has moved to the next one's place
    std::copy_backward(begins_.begin(), begins_.end() - 1, begins_.end());
    begins_[0] = 0;
}

bool Matcher::find(const Sentence& test, std::size_t limit) {
    for (auto& list : lists_) list.clear();
    if (!words(test, limit) || !paraphrases(test, limit)) return false;
    only_exact_where_identical(test);
    group();
    return matches_.size() <= limit;
}

}  // namespace storymeter::meteor
