#include "match.hpp"

#include <bit>

namespace storymeter::meteor {

bool identical(const Sentence& a, const Sentence& b) { return a.hashes == b.hashes; }

void Matcher::prefetch(const Sentence& sentence) const {
    for (const SynsetSet& set : sentence.synsets) tables_.prefetch(tables_.at(set.offset));
    for (const Occurrence& o : sentence.occurrences) {
        for (std::uint32_t k = 0; k < o.count; k += 16) tables_.prefetch(tables_.at(o.list + k));
    }
}

void Matcher::prepare(const Sentence& test) {
    if (test_ == &test) return;
    test_ = &test;
    stems_.clear();
    test_nodes_.clear();
    for (const std::uint32_t stem : test.stems) stems_.add(stem);
    for (const Occurrence& o : test.occurrences) test_nodes_.add(o.node);
    indexed_ = test.size() <= 64 && test.synset_total <= kMostSynsets;
    if (!indexed_) return;
    first_.fill(0);
    second_.fill(0);
    for (std::uint32_t i = 0; i < test.size(); ++i) {
        const std::uint32_t* synset = tables_.at(test.synsets[i].offset);
        for (std::uint32_t k = 0; k < test.synsets[i].count; ++k) {
            const Buckets b(synset[k]);
            first_[b.first] |= std::uint64_t{1} << i;
            second_[b.second] |= std::uint64_t{1} << i;
        }
    }
}

// The words of the test that may have a synset of the set: all that do, and a few that do not.
std::uint64_t Matcher::words_like(SynsetSet set) const {
    std::uint64_t words = 0;
    const std::uint32_t* synset = tables_.at(set.offset);
    for (std::uint32_t k = 0; k < set.count; ++k) {
        const Buckets b(synset[k]);
        words |= first_[b.first] & second_[b.second];
    }
    return words;
}

bool Matcher::common_synset(SynsetSet a, SynsetSet b) const {
    const std::uint32_t *x = tables_.at(a.offset), *y = tables_.at(b.offset), *x_end = x + a.count, *y_end = y + b.count;
    while (x != x_end && y != y_end) {
        if (*x == *y) return true;
        const bool less = *x < *y;
        x += less;
        y += !less;
    }
    return false;
}

bool Matcher::words(const Sentence& test, const Sentence& ref, bool exact_only, std::size_t limit) {
    for (std::uint32_t j = 0; j < ref.size(); ++j) {
        const std::uint32_t hash = ref.hashes[j], stem = ref.stems[j];
        if (stems_.has(stem)) {  // equal words have equal stems
            for (std::uint32_t i = 0; i < test.size(); ++i) {
                if (test.hashes[i] == hash) {
                    lists_[kExact].push_back({j, i, 1, 1, kExact});
                } else if (test.stems[i] == stem && !exact_only) {
                    lists_[kStem].push_back({j, i, 1, 1, kStem});
                }
            }
        }
        if (!exact_only && ref.synsets[j].count != 0) {
            const auto synonym = [&](std::uint32_t i) {
                if (test.hashes[i] != hash && common_synset(test.synsets[i], ref.synsets[j])) lists_[kSynonym].push_back({j, i, 1, 1, kSynonym});
            };
            if (indexed_) {
                for (std::uint64_t words = words_like(ref.synsets[j]); words != 0; words &= words - 1) synonym(static_cast<std::uint32_t>(std::countr_zero(words)));
            } else {
                for (std::uint32_t i = 0; i < test.size(); ++i) synonym(i);
            }
        }
        if (lists_[kExact].size() + lists_[kStem].size() + lists_[kSynonym].size() > limit) return false;
    }
    return true;
}

// Every paraphrase of every phrase of `from` that stands in `to`: phrases by position and length, paraphrases in the order of
// the table, places in `to` from left to right.
bool Matcher::paraphrases(const Sentence& from, const Sentence& to, const Filter& nodes, bool from_ref, std::size_t limit) {
    auto& list = lists_[from_ref ? 3 : 4];
    for (const Occurrence& phrase : from.occurrences) {
        const std::uint32_t* paraphrase = tables_.at(phrase.list);
        for (std::uint32_t k = 0; k < phrase.count; ++k) {
            while (k + 4 < phrase.count && !nodes.any(paraphrase + k)) k += 4;
            if (!nodes.has(paraphrase[k])) continue;
            for (const Occurrence& place : to.occurrences) {
                if (place.node != paraphrase[k]) continue;
                const auto phrase_length = static_cast<std::uint8_t>(phrase.length), place_length = static_cast<std::uint8_t>(place.length);
                if (from_ref) {
                    list.push_back({phrase.start, place.start, phrase_length, place_length, kParaphrase});
                } else {
                    list.push_back({place.start, phrase.start, place_length, phrase_length, kParaphrase});
                }
            }
        }
        if (list.size() > limit) return false;
    }
    return true;
}

// A stable counting sort by reference position.
void Matcher::group(const Sentence& test, const Sentence& ref, Candidates& out) {
    out.begins.assign(ref.size() + std::size_t{1}, 0);
    out.ref_cover.assign(ref.size(), 0);
    out.test_cover.assign(test.size(), 0);
    std::size_t total = 0;
    for (const auto& list : lists_) {
        total += list.size();
        for (const Match& m : list) {
            ++out.begins[m.ref + 1];
            for (std::uint32_t k = 0; k < m.ref_length; ++k) ++out.ref_cover[m.ref + k];
            for (std::uint32_t k = 0; k < m.test_length; ++k) ++out.test_cover[m.test + k];
        }
    }
    for (std::size_t j = 1; j < out.begins.size(); ++j) out.begins[j] += out.begins[j - 1];
    out.matches.resize(total);
    for (const auto& list : lists_) {
        for (const Match& m : list) out.matches[out.begins[m.ref]++] = m;
    }
    // each begin has moved to the next one's place
    for (std::size_t j = out.begins.size() - 1; j > 0; --j) out.begins[j] = out.begins[j - 1];
    out.begins[0] = 0;
}

bool Matcher::find(const Sentence& test, const Sentence& ref, std::size_t limit, Candidates& out) {
    for (auto& list : lists_) list.clear();
    prepare(test);
    const bool same = identical(test, ref);
    if (!words(test, ref, same, limit)) return false;
    if (!same) {
        if (!paraphrases(ref, test, test_nodes_, true, limit)) return false;
        ref_nodes_.clear();
        for (const Occurrence& o : ref.occurrences) ref_nodes_.add(o.node);
        if (!paraphrases(test, ref, ref_nodes_, false, limit)) return false;
    }
    group(test, ref, out);
    return out.matches.size() <= limit;
}

}  // namespace storymeter::meteor
