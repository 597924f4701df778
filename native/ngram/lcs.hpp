// Length of the longest common subsequence of two word sequences, bit-parallel: 64 words of one side at a
// time (Crochemore et al. 2001; Hyyrö 2004), O(n m / 64) time and O(n + m + vocabulary) memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace storymeter {

// One per thread: the positions of each word, reused from pair to pair.
class Lcs {
  public:
    explicit Lcs(std::size_t vocabulary) : vocabulary_(vocabulary) {}
    std::size_t length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

  private:
    template <std::size_t Width>
    std::size_t blocks(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows);

    std::size_t waves(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows);

    std::size_t vocabulary_;
    std::vector<std::uint64_t>
        masks_;  // [word][Width]: where the word stands in the present block of columns
    std::vector<std::uint8_t> carries_;  // [row]: what the block before handed over
    std::vector<std::uint32_t> padded_;  // rows between empty words, for `waves`
};

}  // namespace storymeter
