#include "tables.hpp"

#include <algorithm>
#include <bit>

#include "words.hpp"

namespace storymeter::meteor {

Tables::Tables(std::span<const std::byte> bytes) : base_(bytes.data()) {
    if (bytes.size() < kHeaderSize) throw TableError("too short for a table");
    std::memcpy(&header_, bytes.data(), sizeof header_);
    if (header_.magic != kMagic) throw TableError("not a METEOR table");
    if (header_.version != kTableVersion) throw TableError("a table of another version");
    if (header_.header_checksum != checksum(base_, offsetof(Header, header_checksum)))
        throw TableError("damaged header");
    if (header_.file_size != bytes.size()) throw TableError("truncated");
    if (header_.content_checksum != checksum(base_ + kHeaderSize, bytes.size() - kHeaderSize))
        throw TableError("damaged content");
    word_offsets_ = section<std::uint32_t>(kWordOffsets);
    word_bytes_ = section<char>(kWordBytes);
    word_hash_ = section<std::uint32_t>(kWordHash);
    stem_hash_ = section<std::uint32_t>(kStemHash);
    flags_ = section<std::uint8_t>(kWordFlags);
    word_slots_ = section<std::uint32_t>(kWordSlots);
    synset_sets_ = section<std::uint32_t>(kSynsetSets);
    synset_ids_ = section<std::uint32_t>(kSynsetIds);
    own_sets_ = section<std::uint32_t>(kOwnSets);
    own_ids_ = section<std::uint32_t>(kOwnIds);
    first_child_ = section<std::uint32_t>(kFirstChild);
    labels_ = section<std::uint16_t>(kLabels);
    pair_slots_ = section<std::uint32_t>(kPairSlots);
    list_bits_ = section<std::uint64_t>(kListBits);
    list_ranks_ = section<std::uint32_t>(kListRanks);
    list_offsets_ = section<std::uint32_t>(kListOffsets);
    list_entries_ = section<std::uint32_t>(kListEntries);
    word_mask_ = static_cast<std::uint32_t>(header_.sizes[kWordSlots] / 4 - 1);
    pair_mask_ = static_cast<std::uint32_t>(header_.sizes[kPairSlots] / 4 - 1);
}

std::uint32_t Tables::find(std::string_view word, std::uint32_t hash) const {
    for (std::uint32_t slot = mix32(hash) & word_mask_; word_slots_[slot] != 0;
         slot = (slot + 1) & word_mask_) {
        const std::uint32_t k = word_slots_[slot] - 1;
        if (word_hash_[k] != hash) continue;
        const std::uint32_t begin = word_offsets_[k];
        if (word == std::string_view(word_bytes_ + begin, word_offsets_[k + 1] - begin)) return k;
    }
    return kNone;
}

Prefix Tables::prefix(std::string_view word) const {
    const std::uint32_t k = find(word, java_hash(word));
    if (k == kNone) return Prefix::none;
    if (flags_[k] & kPrefixAlways) return Prefix::always;
    return flags_[k] & kPrefixNumeric ? Prefix::numeric : Prefix::none;
}

std::uint32_t Tables::child(std::uint32_t node, std::uint32_t word) const {
    const std::uint32_t begin = first_child_[node], end = first_child_[node + 1];
    if (begin == end) return kNone;
    const std::uint32_t first = header_.phrase_words;  // the node of the first label
    if (node < first) {                                // common words have thousands of children
        for (std::uint32_t slot = pair_hash(node, word) & pair_mask_; pair_slots_[slot] != 0;
             slot = (slot + 1) & pair_mask_) {
            const std::uint32_t k = pair_slots_[slot];
            if (k >= begin && k < end && labels_[k - first] == word) return k;
        }
        return kNone;
    }
    const std::uint16_t *low = labels_ + (begin - first), *high = labels_ + (end - first);
    const std::uint16_t* found = std::lower_bound(low, high, word);
    return found != high && *found == word ? begin + static_cast<std::uint32_t>(found - low) : kNone;
}

// Which of the lists is the node's, or kNone.
std::uint32_t Tables::list_rank(std::uint32_t node) const {
    const std::uint64_t bits = list_bits_[node / 64], bit = std::uint64_t{1} << (node % 64);
    return bits & bit ? list_ranks_[node / 64] + static_cast<std::uint32_t>(std::popcount(bits & (bit - 1)))
                      : kNone;
}

std::span<const std::uint32_t> Tables::paraphrases(std::uint32_t node) const {
    const std::uint32_t rank = list_rank(node);
    if (rank == kNone) return {};
    return range(list_offsets_, list_entries_, rank);
}

}  // namespace storymeter::meteor
