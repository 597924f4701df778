#include "table_writer.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/utf8.hpp"
#include "tables.hpp"
#include "words.hpp"

namespace storymeter::meteor {

TableWriter::TableWriter(std::string_view source_digest, std::uint32_t words, std::uint32_t phrase_words)
    : file_(kHeaderSize) {
    header_.magic = kMagic;
    header_.version = kTableVersion;
    header_.words = words;
    header_.phrase_words = phrase_words;
    std::copy_n(source_digest.begin(), std::min(source_digest.size(), sizeof header_.source), header_.source);
}

void TableWriter::add_bytes(Section which, const std::byte* bytes, std::size_t size) {
    file_.resize((file_.size() + 63) / 64 * 64);
    header_.offsets[which] = file_.size();
    header_.sizes[which] = size;
    file_.insert(file_.end(), bytes, bytes + size);
}

std::vector<std::byte> TableWriter::finish() {
    header_.file_size = file_.size();
    header_.content_checksum = checksum(file_.data() + kHeaderSize, file_.size() - kHeaderSize);
    header_.header_checksum =
        checksum(reinterpret_cast<const std::byte*>(&header_), offsetof(Header, header_checksum));
    std::memcpy(file_.data(), &header_, sizeof header_);
    return std::move(file_);
}

std::uint32_t find_base(const Vocabulary& words, const std::vector<std::uint8_t>& flags,
                        std::string_view text) {
    const std::string base = base_form(text, to_utf16(decode_utf8(text)).size(), [&](std::string_view form) {
        const std::uint32_t k = words.find(form);
        return k != kNoWord && (flags[k] & kSynsetKey);
    });
    return base.empty() ? kNoWord : words.find(base);
}

void write_words(TableWriter& out, const Vocabulary& words, const std::vector<std::uint8_t>& flags) {
    std::vector<std::uint32_t> stems(words.size());
    for (std::uint32_t k = 0; k < words.size(); ++k) stems[k] = stem_hash(words[k]);
    out.add(kWordOffsets, words.offsets());
    out.add(kWordBytes, words.bytes());
    out.add(kWordHash, words.hashes());
    out.add(kStemHash, stems);
    out.add(kWordFlags, flags);
    out.add(kWordSlots, words.slots());
}

void write_phrases(TableWriter& out, const GrowingTrie& trie, std::uint32_t phrase_words,
                   const std::vector<std::uint32_t>& phrases, const std::vector<std::uint32_t>& list_begins,
                   const std::vector<std::uint32_t>& entries) {
    const std::uint32_t multi = trie.size(), nodes = phrase_words + multi;
    // parents were made before their children, so one pass finds every depth
    std::vector<std::uint8_t> depth(multi);
    std::vector<std::vector<std::uint32_t>> levels;
    for (std::uint32_t k = 0; k < multi; ++k) {
        const std::uint32_t parent = trie.parent(k);
        depth[k] = parent < GrowingTrie::kFirst
                       ? 0
                       : static_cast<std::uint8_t>(depth[parent - GrowingTrie::kFirst] + 1);
        if (depth[k] >= levels.size()) levels.resize(depth[k] + std::size_t{1});
        levels[depth[k]].push_back(k);
    }
    std::vector<std::uint32_t> number(multi), first_child(nodes + std::size_t{1});
    std::vector<std::uint16_t> labels;
    labels.reserve(multi);
    const auto renumber = [&](std::uint32_t node) {
        return node < GrowingTrie::kFirst ? node : number[node - GrowingTrie::kFirst];
    };
    std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
    std::uint32_t next = phrase_words;
    for (const auto& level : levels) {
        order.clear();
        for (const std::uint32_t k : level)
            order.emplace_back(std::uint64_t{renumber(trie.parent(k))} << 16 | trie.label(k), k);
        std::sort(order.begin(), order.end());
        for (const auto& [key, k] : order) {
            number[k] = next++;
            labels.push_back(trie.label(k));
            ++first_child[(key >> 16) + 1];  // counts for now
        }
    }
    first_child[0] = phrase_words;
    for (std::size_t k = 1; k <= nodes; ++k) first_child[k] += first_child[k - 1];

    const std::size_t pairs = levels.empty() ? 0 : levels[0].size();
    std::vector<std::uint32_t> pair_slots(std::bit_ceil(pairs * 10 / 7 + 2));
    const auto mask = static_cast<std::uint32_t>(pair_slots.size() - 1);
    for (std::uint32_t word = 0; word < phrase_words; ++word) {
        for (std::uint32_t k = first_child[word]; k < first_child[word + 1]; ++k) {
            std::uint32_t slot = pair_hash(word, labels[k - phrase_words]) & mask;
            while (pair_slots[slot] != 0) slot = (slot + 1) & mask;
            pair_slots[slot] = k;
        }
    }

    std::vector<std::pair<std::uint32_t, std::uint32_t>> lists;  // (node, position among the phrases)
    for (std::uint32_t k = 0; k < phrases.size(); ++k) lists.emplace_back(renumber(phrases[k]), k);
    std::sort(lists.begin(), lists.end());
    std::vector<std::uint64_t> bits(nodes / 64 + 1);
    std::vector<std::uint32_t> ranks(bits.size()), list_offsets, list_entries;
    list_entries.reserve(entries.size());
    std::uint32_t last = kNoWord;
    for (const auto& [node, k] : lists) {
        if (node != last)
            list_offsets.push_back(
                static_cast<std::uint32_t>(list_entries.size()));  // a phrase met again goes on
        last = node;
        bits[node / 64] |= std::uint64_t{1} << (node % 64);
        for (std::uint32_t e = list_begins[k]; e < list_begins[k + 1]; ++e)
            list_entries.push_back(renumber(entries[e]));
    }
    list_offsets.push_back(static_cast<std::uint32_t>(list_entries.size()));
    for (std::size_t k = 1; k < bits.size(); ++k)
        ranks[k] = ranks[k - 1] + static_cast<std::uint32_t>(std::popcount(bits[k - 1]));

    out.nodes(nodes);
    out.add(kFirstChild, first_child);
    out.add(kLabels, labels);
    out.add(kPairSlots, pair_slots);
    out.add(kListBits, bits);
    out.add(kListRanks, ranks);
    out.add(kListOffsets, list_offsets);
    out.add(kListEntries, list_entries);
}

}  // namespace storymeter::meteor
