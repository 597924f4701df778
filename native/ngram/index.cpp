#include "index.hpp"

#include <algorithm>
#include <stdexcept>

#include "cut.hpp"

namespace storymeter {

namespace {

constexpr std::uint32_t kRoot = 0xFFFFFFFFu;

bool only_blanks(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != ' ' && white_space(text, i) != 0) return false;
    return true;
}

template <typename Take>
void cut_at_blanks(std::string_view text, Take&& take) {
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(' ', begin);
        take(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return;
        begin = end + 1;
    }
}

// FNV-1a, which is the same on every machine, and a last mixing that spreads it over all 64 bits.
std::uint64_t text_hash(std::string_view text) {
    std::uint64_t h = 0xCBF29CE484222325ull;
    for (const char c : text) h = (h ^ static_cast<std::uint8_t>(c)) * 0x100000001B3ull;
    return h;
}

std::uint64_t mixed(std::uint64_t h) {
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
    return h ^ (h >> 31);
}

}  // namespace

std::size_t KeyTable::place(std::uint64_t key) const {
    std::uint64_t h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
    std::size_t i = h & (slots_.size() - 1);
    while (slots_[i].value != kAbsent && slots_[i].key != key) i = (i + 1) & (slots_.size() - 1);
    return i;
}

std::uint32_t KeyTable::find(std::uint64_t key) const { return slots_[place(key)].value; }

void KeyTable::insert(std::uint64_t key, std::uint32_t value) {
    if (++used_ * 2 > slots_.size()) {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        for (const Slot& slot : old)
            if (slot.value != kAbsent) slots_[place(slot.key)] = slot;
    }
    slots_[place(key)] = {key, value};
}

NgramIndex::NgramIndex(std::span<const std::string> lines, int orders, std::shared_ptr<const NgramIndex> base)
    : base_(std::move(base)) {
    if (base_) {
        if (base_->base_) throw std::invalid_argument("an index stands on at most one other");
        first_sentence_ = base_->sentences();
        words_ = base_->words_;
        grams_ = base_->grams_;
    }
    orders = std::clamp(orders, 0, kOrders);
    ids_.reserve(lines.size());
    for (const std::string& line : lines) ids_.push_back(add(line, orders));
}

const NgramIndex::Sentence& NgramIndex::at(std::uint32_t sentence) const {
    return sentence < first_sentence_ ? base_->own_[sentence] : own_[sentence - first_sentence_];
}

std::vector<std::uint64_t> NgramIndex::gram_hashes() const {
    if (base_) throw std::invalid_argument("an index that stands on another has no hashes of its own");
    std::vector<std::uint64_t> words(words_), keys(grams_), out(grams_);
    for (const auto& [text, id] : word_table_) words[id] = mixed(text_hash(text));
    gram_table_.each([&](std::uint64_t key, std::uint32_t id) { keys[id] = key; });
    for (std::size_t id = 0; id < grams_; ++id) {  // an n-gram comes after the one that it extends
        const auto prefix = static_cast<std::uint32_t>(keys[id] >> 32);
        const std::uint64_t before = prefix == kRoot ? 0x9E3779B97F4A7C15ull : out[prefix];
        out[id] = mixed(before + words[static_cast<std::uint32_t>(keys[id])]);
    }
    return out;
}

std::span<const Gram> NgramIndex::grams(std::uint32_t sentence, int order) const {
    const Sentence& s = at(sentence);
    const auto& pool = sentence < first_sentence_ ? base_->all_grams_ : all_grams_;
    return {pool.data() + s.gram_bounds[order - 1], pool.data() + s.gram_bounds[order]};
}

std::span<const std::uint32_t> NgramIndex::blank_words(std::uint32_t sentence) const {
    const Sentence& s = at(sentence);
    const auto& pool = sentence < first_sentence_ ? base_->blank_words_ : blank_words_;
    return {pool.data() + s.first_word, pool.data() + s.end_word};
}

std::uint32_t NgramIndex::word(std::string_view text) {
    if (base_)
        if (const auto known = base_->word_table_.find(text); known != base_->word_table_.end())
            return known->second;
    if (const auto known = word_table_.find(text); known != word_table_.end()) return known->second;
    const auto fresh = static_cast<std::uint32_t>(words_++);
    word_table_.emplace(text, fresh);
    return fresh;
}

std::uint32_t NgramIndex::gram(std::uint32_t prefix, std::uint32_t word) {
    const std::uint64_t key = (static_cast<std::uint64_t>(prefix) << 32) | word;
    if (base_)
        if (const auto known = base_->gram_table_.find(key); known != KeyTable::kAbsent) return known;
    if (const auto known = gram_table_.find(key); known != KeyTable::kAbsent) return known;
    if (grams_ >= kRoot) throw std::length_error("more than 4,294,967,295 distinct n-grams");
    const auto fresh = static_cast<std::uint32_t>(grams_++);
    gram_table_.insert(key, fresh);
    return fresh;
}

std::uint32_t NgramIndex::add(const std::string& line, int orders) {
    if (base_)
        if (const auto known = base_->sentence_table_.find(line); known != base_->sentence_table_.end())
            return known->second;
    const auto number = static_cast<std::uint32_t>(sentences());
    if (const auto [known, fresh] = sentence_table_.emplace(line, number); !fresh) return known->second;

    Sentence sentence;
    sentence.first_word = blank_words_.size();
    cut_at_blanks(line, [&](std::string_view text) { blank_words_.push_back(word(text)); });
    sentence.end_word = blank_words_.size();

    std::vector<std::uint32_t> words;
    if (only_blanks(line)) {  // the usual case: the same words, but for the empty one
        words.assign(blank_words_.begin() + static_cast<std::ptrdiff_t>(sentence.first_word),
                     blank_words_.end());
        std::erase(words, word(""));
    } else {
        cut_at_white_space(line, [&](std::string_view text) { words.push_back(word(text)); });
    }
    sentence.length = static_cast<std::uint32_t>(words.size());
    sentence.gram_bounds.fill(all_grams_.size());
    // An n-gram is its first n-1 words and one word more: each order extends the ids of the one before.
    std::vector<std::uint32_t> ids(words.size(), kRoot);
    for (int order = 1; order <= orders; ++order) {
        if (words.size() + 1 > static_cast<std::size_t>(order)) {
            ids.resize(words.size() + 1 - static_cast<std::size_t>(order));
            for (std::size_t i = 0; i < ids.size(); ++i)
                ids[i] = gram(ids[i], words[i + static_cast<std::size_t>(order) - 1]);
            std::vector<std::uint32_t> sorted = ids;
            std::sort(sorted.begin(), sorted.end());
            for (std::size_t i = 0, j = 0; i < sorted.size(); i = j) {
                while (j < sorted.size() && sorted[j] == sorted[i]) ++j;
                all_grams_.push_back({sorted[i], static_cast<std::uint32_t>(j - i)});
            }
        }
        std::fill(sentence.gram_bounds.begin() + order, sentence.gram_bounds.end(), all_grams_.size());
    }
    own_.push_back(sentence);
    return number;
}

}  // namespace storymeter
