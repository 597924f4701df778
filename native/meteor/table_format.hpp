// The compiled table: one file that is mapped into memory and used as it lies there.
//
//   header (fixed size): magic, version, size of the file, digest of the source data, section offsets,
//   checksums sections, each aligned to 64 bytes
//
// The checksum covers every byte behind the header, and the header has its own, so that a truncated, older or
// damaged file is detected in a few milliseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace storymeter::meteor {

inline constexpr std::uint64_t kMagic = 0x31524F4554454D53;  // "SMETEOR1" in a little-endian file
inline constexpr std::uint32_t kTableVersion = 1;

enum Section : std::uint32_t {
    kWordOffsets,  // u32[words + 1] into kWordBytes
    kWordBytes,    // UTF-8
    kWordHash,     // u32[words]: Java hash
    kStemHash,     // u32[words]: Java hash of the stem
    kWordFlags,    // u8[words]: see Flag
    kWordSlots,    // u32[power of two]: open addressing by Java hash; word + 1, 0 = free
    kSynsetSets,   // u32[words + 1] into kSynsetIds: what the synonym module compares
    kSynsetIds,    // u32, ascending within a word
    kOwnSets,      // u32[words + 1] into kOwnIds: the synsets listed under the word itself
    kOwnIds,       // u32
    kFirstChild,   // u32[nodes + 1]: children of node n are firstChild[n] .. firstChild[n + 1]
    kLabels,       // u16[nodes - phrase words]: last word of each node with two words or more
    kPairSlots,    // u32[power of two]: open addressing by (word, word); node, 0 = free
    kListBits,     // u64[nodes / 64 + 1]: nodes that are phrases with a list
    kListRanks,    // u32 per u64 of kListBits: set bits before it
    kListOffsets,  // u32[phrases + 1] into kListEntries
    kListEntries,  // u32: paraphrases (as nodes) in the order of the file
    kSections
};

// A node is a sequence of words that begins some phrase or paraphrase. Nodes below `phrase_words` are single
// words (and the same number as the word); longer ones follow breadth-first, children of one node side by
// side, sorted by label.
struct Header {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint32_t words;
    std::uint32_t phrase_words;
    std::uint32_t nodes;
    std::uint64_t file_size;
    char source[64];  // hex SHA-256 of the source data
    std::uint64_t offsets[kSections];
    std::uint64_t sizes[kSections];
    std::uint64_t content_checksum;
    std::uint64_t header_checksum;  // of all bytes before it
};
inline constexpr std::size_t kHeaderSize = (sizeof(Header) + 63) / 64 * 64;

enum Flag : std::uint8_t { kFunctionWord = 1, kPrefixAlways = 2, kPrefixNumeric = 4, kSynsetKey = 8 };

inline constexpr std::uint32_t mix32(std::uint32_t h) {
    h ^= h >> 16;
    h *= 0x7FEB352Du;
    h ^= h >> 15;
    h *= 0x846CA68Bu;
    return h ^ (h >> 16);
}

inline constexpr std::uint32_t pair_hash(std::uint32_t parent, std::uint32_t word) {
    return mix32(parent * 0x9E3779B1u ^ mix32(word));
}

// Eight independent multiply-rotate lanes: as fast as memory. It guards against accidents, not against
// forgers.
inline std::uint64_t checksum(const std::byte* bytes, std::size_t size) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
    const auto step = [](std::uint64_t h, std::uint64_t x) {
        h = (h ^ x) * odd;
        return (h << 29) | (h >> 35);
    };
    std::uint64_t lanes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::size_t k = 0;
    for (; k + 64 <= size; k += 64) {
        std::uint64_t block[8];
        std::memcpy(block, bytes + k, 64);
        for (int lane = 0; lane < 8; ++lane) lanes[lane] = step(lanes[lane], block[lane]);
    }
    std::uint64_t sum = size;
    for (; k < size; ++k) sum = step(sum, static_cast<std::uint64_t>(bytes[k]));
    for (const std::uint64_t lane : lanes) sum = step(sum, lane);
    return sum ^ (sum >> 31);
}

}  // namespace storymeter::meteor
