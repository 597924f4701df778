// Words to numbers: one look into one cache line for words of up to eight bytes, which are their own key.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace storymeter {

class WordTable {
  public:
    static constexpr std::uint32_t kAbsent = 0xFFFFFFFFu;

    std::size_t size() const { return size_; }

    std::uint32_t find(std::string_view word) const { return slots_[place(word, key(word))].id; }

    // The number of a word; a new one gets the next.
    std::uint32_t add(std::string_view word) {
        const std::uint64_t k = key(word);
        std::size_t at = place(word, k);
        if (slots_[at].id != kAbsent) return slots_[at].id;
        if ((size_ + 1) * 2 > slots_.size()) {
            grow();
            at = place(word, k);
        }
        slots_[at] = {k, static_cast<std::uint32_t>(word.size()), static_cast<std::uint32_t>(size_)};
        begins_.push_back(letters_.size());
        if (word.size() > kInKey) letters_ += word;
        return static_cast<std::uint32_t>(size_++);
    }

    void clear() {
        if (size_ > 0) *this = WordTable();
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t length = 0;
        std::uint32_t id = kAbsent;
    };
    static constexpr std::size_t kInKey = 8;

    template <typename T>
    static std::uint64_t load(const char* at) {
        T value;
        std::memcpy(&value, at, sizeof value);
        return value;
    }

    // Words of up to eight bytes: with the length, the word itself. Longer ones: a hash of all bytes.
    static std::uint64_t key(std::string_view word) {
        const char* p = word.data();
        const std::size_t n = word.size();
        if (n == 0) return 0;
        if (n < 4)
            return load<std::uint8_t>(p) | load<std::uint8_t>(p + n / 2) << 8 |
                   load<std::uint8_t>(p + n - 1) << 16;
        if (n <= kInKey) return load<std::uint32_t>(p) | load<std::uint32_t>(p + n - 4) << 32;
        std::uint64_t h = n;
        for (std::size_t i = 0; i + 8 < n; i += 8) h = mixed(h ^ load<std::uint64_t>(p + i));
        return mixed(h ^ load<std::uint64_t>(p + n - 8));
    }

    static std::uint64_t mixed(std::uint64_t h) {
        h *= 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        h *= 0xD6E8FEB86659FD93ull;
        return h ^ (h >> 32);
    }

    std::size_t place(std::string_view word, std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = mixed(key + word.size()) & mask;
        while (slots_[i].id != kAbsent && !holds(slots_[i], word, key)) i = (i + 1) & mask;
        return i;
    }

    bool holds(const Slot& slot, std::string_view word, std::uint64_t key) const {
        return slot.key == key && slot.length == word.size() &&
               (word.size() <= kInKey ||
                std::memcmp(letters_.data() + begins_[slot.id], word.data(), word.size()) == 0);
    }

    void grow() {
        std::vector<Slot> old(slots_.size() * 2);
        old.swap(slots_);
        const std::size_t mask = slots_.size() - 1;
        for (const Slot& slot : old) {
            if (slot.id == kAbsent) continue;
            std::size_t i = mixed(slot.key + slot.length) & mask;
            while (slots_[i].id != kAbsent) i = (i + 1) & mask;
            slots_[i] = slot;
        }
    }

    std::vector<Slot> slots_ = std::vector<Slot>(64);
    std::vector<std::size_t> begins_;  // by number, in letters_
    std::string letters_;              // of the words that are longer than a key
    std::size_t size_ = 0;
};

}  // namespace storymeter
