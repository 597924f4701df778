#include "match.hpp"

#include <algorithm>

namespace storymeter::meteor {

// Frequent verbs have fifty synsets each, and the same words meet again and again: remember the last answers.
bool Matcher::common_synset(const Word& a, const Word& b) {
    const std::uint64_t key = std::uint64_t{a.synsets} << 31 | std::uint64_t{b.synsets} << 1;  // offsets have 30 bits
    std::uint64_t& known = memory_[(a.synsets * 0x9E3779B1u ^ mix32(b.synsets)) % kMemory];
    if ((known | 1) != (key | 1)) {
        const std::uint32_t *x = tables_.at(a.synsets), *y = tables_.at(b.synsets), *x_end = x + a.synset_count, *y_end = y + b.synset_count;
        bool common = false;
        while (!common && x != x_end && y != y_end) {
            common = *x == *y;
            const bool less = *x < *y;
            x += less;
            y += !less;
        }
        known = key | static_cast<std::uint64_t>(common);
    }
    return known & 1;
}

bool identical(const Sentence& a, const Sentence& b) {
    return std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(), [](const Word& x, const Word& y) { return x.hash == y.hash; });
}

bool Matcher::words(const Sentence& test, const Sentence& ref, bool exact_only, std::size_t limit) {
    for (std::uint32_t j = 0; j < ref.size(); ++j) {
        const Word r = ref.words[j];
        for (std::uint32_t i = 0; i < test.size(); ++i) {
            const Word& t = test.words[i];
            if (t.hash != r.hash && t.stem != r.stem && (t.synset_bits & r.synset_bits) == 0) continue;
            if (t.hash == r.hash) {
                lists_[kExact].push_back({j, i, 1, 1, kExact});
                continue;
            }
            if (exact_only) continue;
            if (t.stem == r.stem) lists_[kStem].push_back({j, i, 1, 1, kStem});
            if ((t.synset_bits & r.synset_bits) != 0 && common_synset(t, r)) lists_[kSynonym].push_back({j, i, 1, 1, kSynonym});
        }
        if (lists_[kExact].size() + lists_[kStem].size() + lists_[kSynonym].size() > limit) return false;
    }
    return true;
}

// Every paraphrase of every phrase of `from` that stands in `to`: phrases by position and length, paraphrases in the order of
// the table, places in `to` from left to right.
bool Matcher::paraphrases(const Sentence& from, const Sentence& to, bool from_ref, std::size_t limit) {
    auto& list = lists_[from_ref ? 3 : 4];
    for (const Occurrence& o : to.occurrences) filter_[o.node % kFilterBits / 64] |= std::uint64_t{1} << (o.node % 64);
    for (const Occurrence& phrase : from.occurrences) {
        for (const std::uint32_t node : phrase.paraphrases) {
            if (!(filter_[node % kFilterBits / 64] >> (node % 64) & 1)) continue;
            for (const Occurrence& place : to.occurrences) {
                if (place.node != node) continue;
                const auto phrase_length = static_cast<std::uint8_t>(phrase.length), place_length = static_cast<std::uint8_t>(place.length);
                if (from_ref) {
                    list.push_back({phrase.start, place.start, phrase_length, place_length, kParaphrase});
                } else {
                    list.push_back({place.start, phrase.start, place_length, phrase_length, kParaphrase});
                }
            }
        }
        if (list.size() > limit) break;
    }
    std::fill(filter_.begin(), filter_.end(), 0);
    return list.size() <= limit;
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
    const bool same = identical(test, ref);
    if (!words(test, ref, same, limit)) return false;
    if (!same && !(paraphrases(ref, test, true, limit) && paraphrases(test, ref, false, limit))) return false;
    group(test, ref, out);
    return out.matches.size() <= limit;
}

}  // namespace storymeter::meteor
