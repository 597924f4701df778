#include "lcs.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace storymeter {
namespace {

// What the states of a block of columns say of its length.
std::size_t grown(std::span<const std::uint64_t> state, std::size_t columns) {
    std::size_t found = 0;
    for (std::size_t w = 0; 64 * w < columns; ++w) {
        const std::size_t used = std::min<std::size_t>(64, columns - 64 * w);
        const std::uint64_t inside = used == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << used) - 1;
        found += static_cast<std::size_t>(std::popcount(~state[w] & inside));
    }
    return found;
}

constexpr std::size_t Lanes = 8;

#if defined(__x86_64__) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)  // GCC has it since version 12
#define STORYMETER_WAVES
#endif
#endif

#if defined(STORYMETER_WAVES)
using Vector = std::uint64_t __attribute__((vector_size(32)));
using Unaligned = std::uint64_t __attribute__((vector_size(32), aligned(8)));

// Eight words of columns at once. The carry of a row goes from word to word, so lane k works one row behind
// lane k - 1: all lanes are busy, and each finds its carry where its neighbour left it a step ago. `rows` and
// `carries` begin and end with Lanes - 1 rows without a match, during which the lanes start and run out.
__attribute__((target("avx2"))) void wave(const std::uint64_t* masks, std::span<const std::uint32_t> rows,
                                          std::uint8_t* carries, std::uint64_t* out) {
    const Vector none{};
    Vector low = ~none, high = ~none, low_carry = none, high_carry = none;
    Vector low_row = none, low_pair = none, low_pair_before = none, high_row = none, high_pair = none,
           high_pair_before = none;
    for (std::size_t t = Lanes - 1; t < rows.size(); ++t) {
        // lane k of the matches comes from row t - k: two shuffles of what was loaded for the last rows
        const Vector low_now = *reinterpret_cast<const Unaligned*>(masks + Lanes * rows[t]);
        const Vector high_now = *reinterpret_cast<const Unaligned*>(masks + Lanes * rows[t - 4] + 4);
        const Vector low_pair_now = __builtin_shufflevector(low_now, low_row, 0, 5, 2, 7);
        const Vector high_pair_now = __builtin_shufflevector(high_now, high_row, 0, 5, 2, 7);
        const Vector low_mask = __builtin_shufflevector(low_pair_now, low_pair_before, 0, 1, 6, 7);
        const Vector high_mask = __builtin_shufflevector(high_pair_now, high_pair_before, 0, 1, 6, 7);
        low_row = low_now, low_pair_before = low_pair, low_pair = low_pair_now;
        high_row = high_now, high_pair_before = high_pair, high_pair = high_pair_now;

        const Vector given{carries[t], 0, 0, 0};
        const Vector low_in = __builtin_shufflevector(low_carry, given, 4, 0, 1, 2);
        const Vector high_in = __builtin_shufflevector(high_carry, low_carry, 7, 0, 1, 2);
        const Vector low_both = low & low_mask, high_both = high & high_mask;
        const Vector low_sum = low + low_both + low_in, high_sum = high + high_both + high_in;
        low_carry = (low_both | (low & ~low_sum)) >> 63;
        high_carry = (high_both | (high & ~high_sum)) >> 63;
        low = low_sum | (low & ~low_mask);
        high = high_sum | (high & ~high_mask);
        carries[t - (Lanes - 1)] = static_cast<std::uint8_t>(high_carry[3]);
    }
    for (std::size_t k = 0; k < 4; ++k) out[k] = low[k], out[4 + k] = high[k];
}

bool wide() { return __builtin_cpu_supports("avx2"); }
#else
void wave(const std::uint64_t*, std::span<const std::uint32_t>, std::uint8_t*, std::uint64_t*) {}
bool wide() { return false; }
#endif

}  // namespace

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
    if (a.size() <= 64) return common + blocks<1>(a, b);
    return common + (a.size() > 256 && wide() ? waves(a, b) : blocks<4>(a, b));
}

// The columns are taken in blocks of 64 * Width. Bit k of `state` is 0 where the LCS of the rows so far grows
// at column k; a row adds the matches of its word, and the carry of that sum is what it tells the next block.
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

        for (const std::uint32_t word : block)
            std::fill_n(masks_.begin() + static_cast<std::ptrdiff_t>(word * Width), Width, 0);
        found += grown(state, block.size());
    }
    return found;
}

// The same for long texts, eight words of columns side by side.
std::size_t Lcs::waves(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows) {
    constexpr std::size_t Border = Lanes - 1;
    if (masks_.size() < (vocabulary_ + 1) * Lanes) masks_.assign((vocabulary_ + 1) * Lanes, 0);
    padded_.assign(rows.size() + 2 * Border,
                   static_cast<std::uint32_t>(vocabulary_));  // a word that no column has
    std::copy(rows.begin(), rows.end(), padded_.begin() + Border);
    carries_.assign(padded_.size(), 0);
    std::size_t found = 0;
    for (std::size_t begin = 0; begin < columns.size(); begin += 64 * Lanes) {
        const auto block = columns.subspan(begin, std::min(columns.size() - begin, 64 * Lanes));
        for (std::size_t k = 0; k < block.size(); ++k)
            masks_[block[k] * Lanes + k / 64] |= std::uint64_t{1} << (k % 64);
        std::array<std::uint64_t, Lanes> state;
        wave(masks_.data(), padded_, carries_.data(), state.data());
        for (const std::uint32_t word : block)
            std::fill_n(masks_.begin() + static_cast<std::ptrdiff_t>(word * Lanes), Lanes, 0);
        found += grown(state, block.size());
    }
    return found;
}

}  // namespace storymeter
