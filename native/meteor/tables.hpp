// METEOR's word lists, read in place from a compiled table (see table_format.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "normalize.hpp"
#include "table_format.hpp"

namespace storymeter::meteor {

struct TableError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

class Tables final : public PrefixList {
  public:
    // The bytes must stay where they are. Throws TableError where they are not a sound table of this version.
    explicit Tables(std::span<const std::byte> bytes);

    // Words: an index, or kNone.
    std::uint32_t find(std::string_view word, std::uint32_t hash) const;
    std::uint32_t word_hash(std::uint32_t word) const { return word_hash_[word]; }
    std::uint32_t stem_hash(std::uint32_t word) const { return stem_hash_[word]; }
    bool function_word(std::uint32_t word) const { return flags_[word] & kFunctionWord; }
    bool synset_key(std::uint32_t word) const { return flags_[word] & kSynsetKey; }
    Prefix prefix(std::string_view word) const override;
    // What the synonym module compares, and what is listed under the word itself.
    std::span<const std::uint32_t> synsets(std::uint32_t word) const {
        return range(synset_sets_, synset_ids_, word);
    }
    std::span<const std::uint32_t> own_synsets(std::uint32_t word) const {
        return range(own_sets_, own_ids_, word);
    }

    // Phrases: node of a single word, of a node with one more word, and the list of a node's paraphrases
    // (often empty).
    std::uint32_t node(std::uint32_t word) const { return word < header_.phrase_words ? word : kNone; }
    std::uint32_t child(std::uint32_t node, std::uint32_t word) const;
    bool has_children(std::uint32_t node) const { return first_child_[node] != first_child_[node + 1]; }
    std::span<const std::uint32_t> paraphrases(std::uint32_t node) const;

    // A set as a number: its place in the table, in units of four bytes.
    std::uint32_t offset(const std::uint32_t* set) const {
        return set ? static_cast<std::uint32_t>(set - reinterpret_cast<const std::uint32_t*>(base_)) : 0;
    }
    const std::uint32_t* at(std::uint32_t offset) const {
        return reinterpret_cast<const std::uint32_t*>(base_) + offset;
    }

    // Prefetch memory that will be read soon: at some place, or by `child` of a single word.
    static void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
        __builtin_prefetch(place);
#endif
    }
    void prefetch_pair(std::uint32_t first, std::uint32_t second) const {
        prefetch(pair_slots_ + (pair_hash(first, second) & pair_mask_));
    }

    std::string_view source() const { return {header_.source, sizeof header_.source}; }
    std::uint32_t words() const { return header_.words; }

  private:
    Header header_;
    const std::byte* base_;
    const std::uint32_t *word_offsets_, *word_hash_, *stem_hash_, *word_slots_, *synset_sets_, *synset_ids_,
        *own_sets_, *own_ids_;
    const std::uint32_t *first_child_, *pair_slots_, *list_ranks_, *list_offsets_, *list_entries_;
    const char* word_bytes_;
    const std::uint8_t* flags_;
    const std::uint16_t* labels_;
    const std::uint64_t* list_bits_;
    std::uint32_t word_mask_, pair_mask_;

    std::uint32_t list_rank(std::uint32_t node) const;
    template <typename T>
    const T* section(Section which) const {
        return reinterpret_cast<const T*>(base_ + header_.offsets[which]);
    }
    static std::span<const std::uint32_t> range(const std::uint32_t* bounds, const std::uint32_t* items,
                                                std::uint32_t k) {
        return {items + bounds[k], items + bounds[k + 1]};
    }
};

// A word's base form by the detachment rules of WordNet: the first rewritten form that is a synset key
// (`is_key`), the word itself where the rules leave it alone, or "".
template <typename IsKey>
std::string base_form(std::string_view word, std::size_t utf16_length, IsKey&& is_key) {
    static constexpr std::string_view rules[][2] = {
        {"s", ""},      {"ses", "s"},   {"xes", "x"},   {"zes", "z"},
        {"ches", "ch"}, {"shes", "sh"}, {"men", "man"}, {"ies", "y"},  // nouns
        {"s", ""},      {"ies", "y"},   {"es", "e"},    {"es", ""},
        {"ed", "e"},    {"ed", ""},     {"ing", "e"},   {"ing", ""},   // verbs
        {"er", ""},     {"est", ""},    {"er", "e"},    {"est", "e"},  // adjectives
    };
    if (word.ends_with("ss") || utf16_length <= 2) return std::string(word);
    for (const auto& [suffix, ending] : rules) {
        if (!word.ends_with(suffix)) continue;
        std::string form(word.substr(0, word.size() - suffix.size()));
        form += ending;
        if (is_key(form)) return form;
    }
    return {};
}

}  // namespace storymeter::meteor
