#include "ngram_lcs.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace storymeter {

std::size_t Lcs::length(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    std::size_t common = 0;
    while (!a.empty() && !b.empty() && a.front() == b.front()) {
        a = a.subspan(1), b = b.subspan(1);
        ++common;
    }
    while (!a.empty() && !b.empty() && a.back() == b.back()) {
        a = a.first(a.size() - 1), b = b.first(b.size() - 1);
        ++common;
    }
    if (a.empty() || b.empty()) return common;
    if (a.size() > b.size()) std::swap(a, b);
    return common + (a.size() <= 64 ? blocks<1>(a, b) : blocks<4>(a, b));
}

// The columns are taken in blocks of 64 * Width. Bit k of `state` is 0 where the LCS of the rows so far grows at
// column k; a row adds the matches of its word, and the carry of that sum is what it tells the next block.
template <std::size_t Width>
std::size_t Lcs::blocks(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows) {
    if (masks_.size() < vocabulary_ * Width) masks_.assign(vocabulary_ * Width, 0);
    if (columns.size() > 64 * Width) carries_.assign(rows.size(), 0);
    std::size_t found = 0;
    for (std::size_t begin = 0; begin < columns.size(); begin += 64 * Width) {
        const auto block = columns.subspan(begin, std::min(columns.size() - begin, 64 * Width));
        for (std::size_t k = 0; k < block.size(); ++k)
            masks_[block[k] * Width + k / 64] |= std::uint64_t{1} << (k % 64);

        std::array<std::uint64_t, Width> state;
        state.fill(~std::uint64_t{0});
        const bool carrying = columns.size() > 64 * Width;
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::uint64_t* mask = masks_.data() + rows[row] * Width;
            std::uint64_t carry = carrying ? carries_[row] : 0;
            for (std::size_t w = 0; w < Width; ++w) {
                const std::uint64_t both = state[w] & mask[w];
                const std::uint64_t half = state[w] + both;
                const std::uint64_t sum = half + carry;
                carry = static_cast<std::uint64_t>(half < both) | static_cast<std::uint64_t>(sum < carry);
                state[w] = sum | (state[w] & ~mask[w]);
            }
            if (carrying) carries_[row] = static_cast<std::uint8_t>(carry);
        }

        for (const std::uint32_t word : block) std::fill_n(masks_.begin() + static_cast<std::ptrdiff_t>(word * Width), Width, 0);
        for (std::size_t w = 0; w < Width && 64 * w < block.size(); ++w) {
            const std::size_t used = std::min<std::size_t>(64, block.size() - 64 * w);
            const std::uint64_t inside = used == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
            found += static_cast<std::size_t>(std::popcount(~state[w] & inside));
        }
    }
    return found;
}

}  // namespace storymeter
