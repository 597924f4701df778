// The beam for sentences of up to 64 words: nearly all there are. A path's rank is one integer, its words are
// one mask.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "match.hpp"

namespace storymeter::meteor {

class ShortBeam {
  public:
    static bool fits(std::uint32_t test_size, std::uint32_t ref_size, std::size_t candidates,
                     std::uint32_t width) {
        return test_size <= 64 && ref_size <= 64 && candidates < kChoices && width <= kWidest;
    }

    void run(const Candidates& candidates, const std::vector<std::uint8_t>& fixed, std::uint32_t width,
             std::vector<Match>& chosen) {
        matches_ = candidates.matches;
        width_ = width;
        steps_ = 0;
        size_ = 1;
        paths_[0] = {kNothing, 0, 0, kClosed, 0};
        const auto size = static_cast<std::uint32_t>(fixed.size());
        const std::uint32_t* const begins = candidates.begins.data();
        std::uint32_t last_open = size - 1;
        while (begins[last_open] == begins[last_open + 1] || fixed[last_open]) --last_open;
        for (std::uint32_t cur = 0; cur < size;) {
            if (begins[cur] == begins[cur + 1]) {
                const bool inside = close_chunks(cur++);
                if (!inside) {  // nothing can happen until the next candidate
                    while (cur < size && begins[cur] == begins[cur + 1]) ++cur;
                }
                continue;
            }
            if (fixed[cur]) {
                follow(matches_[begins[cur]]);
            } else {
                read_choices(begins[cur], begins[cur + 1]);
                if (cur == last_open && decide(cur, begins, fixed)) break;
                expand(cur, begins[cur]);
            }
            ++cur;
        }
        close_chunks(size);
        collect(begins, fixed, chosen);
    }

  private:
    // Smaller is better. From the top: 255 - weight (8 bits), chunks (8), distance (28: at most 2^14 times
    // 64), and, between the paths of one step, the order in which they were made: parent (6), choice (14; one
    // more than there are is to skip).
    static constexpr std::uint32_t kWeight = 56, kChunk = 48, kDistance = 20, kParent = 14;
    static constexpr std::uint32_t kChoices = 1 << kParent, kWidest = 64;
    static constexpr std::uint64_t kOrder = (std::uint64_t{1} << kDistance) - 1,
                                   kNothing = std::uint64_t{255} << kWeight;
    static constexpr std::uint8_t kClosed = 255;

    struct Path {
        std::uint64_t rank, used;  // `used`: test positions
        std::uint32_t step;        // its last match, 0 = none
        std::uint8_t last;         // end of the last match in the test, or no open chunk
        std::uint8_t inside;       // end of the last match in the reference
    };
    struct Step {
        std::uint32_t match, before;
    };
    struct Choice {
        std::uint64_t mask, gain, distance;  // the latter two at their places in the rank
        std::uint8_t test, test_end, ref_end, closes;
    };
    struct Best {
        std::array<std::uint64_t, kWidest> ranks;
        std::uint32_t size = 0;

        // They come almost sorted: sorting by insertion is quickest.
        void keep(std::uint64_t rank, std::uint32_t width) {
            if (size < width) {
                ++size;
            } else if (rank >= ranks[size - 1]) {
                return;
            }
            std::uint32_t k = size - 1;
            for (; k > 0 && ranks[k - 1] > rank; --k) ranks[k] = ranks[k - 1];
            ranks[k] = rank;
        }
    };

    const Match* matches_ = nullptr;
    std::uint32_t width_ = 0, size_ = 0, steps_ = 0;
    std::array<Path, kWidest> paths_, next_;
    std::array<Step, kWidest * 64 + 1> trail_;  // at most one step per path and reference position
    std::vector<Choice> choices_;
    std::vector<std::uint64_t> offers_;

    // No candidate starts here: paths outside a match close their chunk. Returns whether some path is inside
    // one.
    bool close_chunks(std::uint32_t cur) {
        bool inside = false, changed = false;
        for (std::uint32_t k = 0; k < size_; ++k) {
            Path& p = paths_[k];
            if (cur < p.inside) {
                inside = true;
            } else if (p.last != kClosed) {
                p.rank += std::uint64_t{1} << kChunk;
                p.last = kClosed;
                changed = true;
            }
        }
        if (changed) reorder();
        return inside;
    }

    // A settled match: every path takes it. Its weight and distance are the same for all and left out.
    void follow(const Match& m) {
        const auto test = static_cast<std::uint8_t>(m.test),
                   test_end = static_cast<std::uint8_t>(m.test + m.test_length);
        const auto ref_end = static_cast<std::uint8_t>(m.ref + m.ref_length);
        for (std::uint32_t k = 0; k < size_; ++k) {
            Path& p = paths_[k];
            p.rank += static_cast<std::uint64_t>(p.last != kClosed && p.last != test) << kChunk;
            p.last = test_end;
            p.inside = ref_end;
        }
        reorder();
    }

    // A stable sort of what is almost sorted.
    void reorder() {
        for (std::uint32_t k = 1; k < size_; ++k) {
            if (paths_[k - 1].rank <= paths_[k].rank) continue;
            const Path p = paths_[k];
            std::uint32_t to = k;
            for (; to > 0 && paths_[to - 1].rank > p.rank; --to) paths_[to] = paths_[to - 1];
            paths_[to] = p;
        }
    }

    void read_choices(std::uint32_t begin, std::uint32_t end) {
        choices_.clear();
        for (std::uint32_t m = begin; m < end; ++m) choices_.push_back(choice(matches_[m]));
    }

    // What every path can do at a position, in the original's order: take(rank, choice) what is free, then
    // skip(rank, path).
    template <typename Take, typename Skip>
    void each_offer(std::uint32_t cur, Take&& take, Skip&& skip) const {
        const auto count = static_cast<std::uint32_t>(choices_.size());
        for (std::uint32_t k = 0; k < size_; ++k) {
            const Path& p = paths_[k];
            const std::uint64_t order = std::uint64_t{k} << kParent;
            std::uint64_t rank = p.rank;
            if (cur >= p.inside) {
                const bool open = p.last != kClosed;
                for (std::uint32_t c = 0; c < count; ++c) {
                    const Choice& m = choices_[c];
                    if (p.used & m.mask) continue;
                    const std::uint64_t breaks = static_cast<std::uint64_t>(open && m.test != p.last)
                                                 << kChunk;
                    take((rank - m.gain + breaks) | order | c, m);
                    rank += m.distance;
                }
                rank += static_cast<std::uint64_t>(open) << kChunk;
            }
            skip(rank | order | count, p);
        }
    }

    void expand(std::uint32_t cur, std::uint32_t begin) {
        Best takes, skips;
        each_offer(
            cur, [&](std::uint64_t rank, const Choice&) { takes.keep(rank, width_); },
            [&](std::uint64_t rank, const Path&) { skips.keep(rank, width_); });
        select(cur, begin, takes, skips);
    }

    // The last open position: what comes after adds a chunk to a path or not, at a place that its last match
    // decides, and is the same for all otherwise. So the winner can be named without sorting, unless so many
    // are before it now that it falls out of the beam: then nothing is decided.
    bool decide(std::uint32_t cur, const std::uint32_t* begins, const std::vector<std::uint8_t>& fixed) {
        const auto closes = [&](std::uint8_t test_end,
                                std::uint8_t ref_end) {  // where an open chunk ends; 0 = it goes on
            const bool goes_on =
                ref_end < fixed.size() && fixed[ref_end] && matches_[begins[ref_end]].test == test_end;
            return goes_on ? std::uint8_t{0} : ref_end;
        };
        for (Choice& c : choices_) c.closes = closes(c.test_end, c.ref_end);
        std::uint64_t best = ~std::uint64_t{0}, winner = 0;
        std::uint8_t latest = 0;
        offers_.clear();
        const auto offer = [&](std::uint64_t rank, std::uint8_t closed) {
            offers_.push_back(rank);
            const std::uint64_t final_rank =
                (rank & ~kOrder) + (static_cast<std::uint64_t>(closed != 0) << kChunk);
            if (final_rank > best || (final_rank == best && closed <= latest))
                return;  // of equals, the one that was ahead for longer
            best = final_rank;
            latest = closed;
            winner = rank;
        };
        each_offer(
            cur, [&](std::uint64_t rank, const Choice& c) { offer(rank, c.closes); },
            [&](std::uint64_t rank, const Path& p) {
                offer(rank, cur < p.inside ? closes(p.last, p.inside) : 0);
            });
        if (std::count_if(offers_.begin(), offers_.end(),
                          [&](std::uint64_t rank) { return rank < winner; }) >= width_)
            return false;
        size_ = 1;
        paths_[0] = taken(winner, cur, begins[cur]);
        return true;
    }

    static Choice choice(const Match& m) {
        const std::uint64_t words =
            m.test_length < 64 ? (std::uint64_t{1} << m.test_length) - 1 : ~std::uint64_t{0};
        const std::uint64_t gain =
            m.module == kExact ? m.test_length + m.ref_length : m.test_length / 2 + m.ref_length / 2;
        const std::uint64_t distance = m.ref > m.test ? m.ref - m.test : m.test - m.ref;
        return {words << m.test,
                gain << kWeight,
                distance << kDistance,
                static_cast<std::uint8_t>(m.test),
                static_cast<std::uint8_t>(m.test + m.test_length),
                static_cast<std::uint8_t>(m.ref + m.ref_length),
                0};
    }

    // The path that an offer leads to.
    Path taken(std::uint64_t rank, std::uint32_t cur, std::uint32_t begin) {
        Path p = paths_[(rank & kOrder) >> kParent];
        const std::uint32_t c = rank & (kChoices - 1);
        p.rank = rank & ~kOrder;
        if (c == choices_.size()) {
            if (cur >= p.inside) p.last = kClosed;
        } else {
            p.used |= choices_[c].mask;
            p.last = choices_[c].test_end;
            p.inside = choices_[c].ref_end;
            trail_[++steps_] = {begin + c, p.step};
            p.step = steps_;
        }
        return p;
    }

    // The best of both, in order.
    void select(std::uint32_t cur, std::uint32_t begin, const Best& takes, const Best& skips) {
        const std::uint32_t size = std::min(width_, takes.size + skips.size);
        std::uint32_t t = 0, s = 0;
        for (std::uint32_t k = 0; k < size; ++k) {
            const bool skip = t == takes.size || (s < skips.size && skips.ranks[s] < takes.ranks[t]);
            next_[k] = taken(skip ? skips.ranks[s++] : takes.ranks[t++], cur, begin);
        }
        std::copy_n(next_.begin(), size, paths_.begin());
        size_ = size;
    }

    void collect(const std::uint32_t* begins, const std::vector<std::uint8_t>& fixed,
                 std::vector<Match>& chosen) const {
        std::array<std::uint32_t, 64> match;
        std::uint64_t starts = 0;
        for (std::uint32_t step = paths_[0].step; step != 0; step = trail_[step].before) {
            const std::uint32_t m = trail_[step].match, ref = matches_[m].ref;
            match[ref] = m;
            starts |= std::uint64_t{1} << ref;
        }
        for (std::uint32_t j = 0; j < fixed.size(); ++j) {
            if (!fixed[j]) continue;
            match[j] = begins[j];
            starts |= std::uint64_t{1} << j;
        }
        for (; starts != 0; starts &= starts - 1)
            chosen.push_back(matches_[match[static_cast<std::size_t>(std::countr_zero(starts))]]);
    }
};

}  // namespace storymeter::meteor
