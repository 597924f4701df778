// A set of 64-bit keys in the order of their first appearance: open addressing, power-of-two table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace storymeter {

class PairIndex {
  public:
    PairIndex() : table_(1024, kEmpty) {}

    // The number of each key; keys not seen before get the next numbers.
    void add(std::span<const std::uint64_t> keys, std::span<std::int64_t> numbers) {
        for (std::size_t k = 0; k < keys.size(); ++k) {
            if ((keys_.size() + 1) * 2 > table_.size()) grow();
            std::size_t at = hash(keys[k]) & (table_.size() - 1);
            while (table_[at] != kEmpty && keys_[static_cast<std::size_t>(table_[at])] != keys[k])
                at = (at + 1) & (table_.size() - 1);
            if (table_[at] == kEmpty) {
                table_[at] = static_cast<std::int32_t>(keys_.size());
                keys_.push_back(keys[k]);
            }
            numbers[k] = table_[at];
        }
    }

    const std::vector<std::uint64_t>& keys() const { return keys_; }

  private:
    static constexpr std::int32_t kEmpty = -1;

    static std::size_t hash(std::uint64_t x) {  // the finaliser of splitmix64
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
        return static_cast<std::size_t>(x ^ (x >> 31));
    }

    void grow() {
        std::vector<std::int32_t> larger(table_.size() * 2, kEmpty);
        for (std::size_t n = 0; n < keys_.size(); ++n) {
            std::size_t at = hash(keys_[n]) & (larger.size() - 1);
            while (larger[at] != kEmpty) at = (at + 1) & (larger.size() - 1);
            larger[at] = static_cast<std::int32_t>(n);
        }
        table_.swap(larger);
    }

    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> table_;
};

}  // namespace storymeter
