// The beam for sentences of up to 64 words: nearly all there are. A path's rank is one integer, its words are
// one mask.
//
// Most paths need not be followed. Let a path's loss be what it weighs less than if it had taken, at every
// position so far, the heaviest candidate there, free or not. A loss never gets smaller, and at any time
// paths with a smaller loss come first. So a search that drops all paths with a loss above some limit keeps
// the others in the order and places that they have in the full search, and if any of them reaches the end,
// the best of these is the winner. The limit starts where conflicts alone make a loss likely, and rises where
// no path was left.
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
        begins_ = candidates.begins;
        fixed_ = fixed.data();
        width_ = width;
        for (std::uint32_t loss = expected_loss(static_cast<std::uint32_t>(fixed.size())), tries = 0;
             !search(static_cast<std::uint32_t>(fixed.size()), loss); ++tries)
            loss = tries < kTries ? least_lost_ : kAnyLoss;
        collect(static_cast<std::uint32_t>(fixed.size()), chosen);
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

    // What paths may lose until the limit is of no use; weights are below 256.
    static constexpr std::uint32_t kTries = 3, kAnyLoss = 1 << 20;

    std::span<const Match> matches_;
    std::span<const std::uint32_t> begins_;  // matches_[begins_[j]] .. are those of reference position j
    const std::uint8_t* fixed_ = nullptr;    // whether the only one there is settled
    std::uint32_t width_ = 0, size_ = 0, steps_ = 0, last_open_ = 0;
    std::array<std::uint8_t, 64> heaviest_;     // gain at each open position
    std::uint64_t limit_ = 0;                   // the worst rank that is followed
    std::uint32_t least_lost_ = 0, bound_ = 0;  // the least loss of those dropped; weight without any loss
    std::array<Path, kWidest> paths_, next_;
    std::array<Step, kWidest * 64 + 1> trail_;  // at most one step per path and reference position
    std::vector<Choice> choices_;
    std::vector<std::uint64_t> offers_;

    bool open(std::uint32_t position) const {
        return begins_[position] != begins_[position + 1] && !fixed_[position];
    }

    // What a word that is there more often in the reference than in the test must cost. Also looks for the
    // heaviest candidates and for the last open position.
    std::uint32_t expected_loss(std::uint32_t size) {
        std::array<std::uint8_t, 64> wanted{};  // by the first place of the word in the test
        std::uint32_t loss = 0;
        for (std::uint32_t j = 0; j < size; ++j) {
            if (!open(j)) continue;
            last_open_ = j;
            std::uint32_t places = 0, heaviest = 0;
            for (std::uint32_t m = begins_[j]; m < begins_[j + 1]; ++m) {
                places += matches_[m].module == kExact;
                heaviest = std::max(heaviest, gain(matches_[m]));
            }
            heaviest_[j] = static_cast<std::uint8_t>(heaviest);
            if (places != 0 && ++wanted[matches_[begins_[j]].test] > places)
                loss += 2;  // exact ones come first
        }
        return loss;
    }

    // Returns whether a path was left.
    bool search(std::uint32_t size, std::uint32_t loss) {
        steps_ = 0;
        size_ = 1;
        paths_[0] = {kNothing, 0, 0, kClosed, 0};
        least_lost_ = kAnyLoss;
        bound_ = 0;
        for (std::uint32_t cur = 0; cur < size;) {
            if (begins_[cur] == begins_[cur + 1]) {
                const bool inside = close_chunks(cur++);
                if (!inside) {  // nothing can happen until the next candidate
                    while (cur < size && begins_[cur] == begins_[cur + 1]) ++cur;
                }
                continue;
            }
            if (fixed_[cur]) {
                follow(matches_[begins_[cur]]);
            } else {
                bound_ += heaviest_[cur];
                const std::uint32_t least = bound_ > loss ? bound_ - loss : 0;  // weight of those that go on
                limit_ = least > 255 ? 0 : ((std::uint64_t{256} - least) << kWeight) - 1;
                read_choices(begins_[cur], begins_[cur + 1]);
                if (cur == last_open_ && decide(cur, size)) break;
                expand(cur, begins_[cur]);
                if (size_ == 0) return false;
            }
            ++cur;
        }
        close_chunks(size);
        return true;
    }

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

    bool dropped(std::uint64_t rank) {
        if (rank <= limit_) return false;
        least_lost_ = std::min(least_lost_, bound_ + static_cast<std::uint32_t>(rank >> kWeight) - 255);
        return true;
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
            cur,
            [&](std::uint64_t rank, const Choice&) {
                if (!dropped(rank)) takes.keep(rank, width_);
            },
            [&](std::uint64_t rank, const Path&) {
                if (!dropped(rank)) skips.keep(rank, width_);
            });
        select(cur, begin, takes, skips);
    }

    // The last open position: what comes after adds a chunk to a path or not, at a place that its last match
    // decides, and is the same for all otherwise. So the winner can be named without sorting, unless so many
    // are before it now that it falls out of the beam: then nothing is decided.
    bool decide(std::uint32_t cur, std::uint32_t size) {
        const auto closes = [&](std::uint8_t test_end,
                                std::uint8_t ref_end) {  // where an open chunk ends; 0 = it goes on
            const bool goes_on =
                ref_end < size && fixed_[ref_end] && matches_[begins_[ref_end]].test == test_end;
            return goes_on ? std::uint8_t{0} : ref_end;
        };
        for (Choice& c : choices_) c.closes = closes(c.test_end, c.ref_end);
        std::uint64_t best = ~std::uint64_t{0}, winner = 0;
        std::uint8_t latest = 0;
        offers_.clear();
        const auto offer = [&](std::uint64_t rank, std::uint8_t closed) {
            if (dropped(rank)) return;
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
        if (offers_.empty() || std::count_if(offers_.begin(), offers_.end(),
                                             [&](std::uint64_t rank) { return rank < winner; }) >= width_)
            return false;
        size_ = 1;
        paths_[0] = taken(winner, cur, begins_[cur]);
        return true;
    }

    static std::uint32_t gain(const Match& m) {
        return m.module == kExact ? m.test_length + m.ref_length : m.test_length / 2 + m.ref_length / 2;
    }

    static Choice choice(const Match& m) {
        const std::uint64_t words =
            m.test_length < 64 ? (std::uint64_t{1} << m.test_length) - 1 : ~std::uint64_t{0};
        const std::uint64_t distance = m.ref > m.test ? m.ref - m.test : m.test - m.ref;
        return {words << m.test,
                std::uint64_t{gain(m)} << kWeight,
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

    void collect(std::uint32_t size, std::vector<Match>& chosen) const {
        std::array<std::uint32_t, 64> match;
        std::uint64_t starts = 0;
        for (std::uint32_t step = paths_[0].step; step != 0; step = trail_[step].before) {
            const std::uint32_t m = trail_[step].match, ref = matches_[m].ref;
            match[ref] = m;
            starts |= std::uint64_t{1} << ref;
        }
        for (std::uint32_t j = 0; j < size; ++j) {
            if (!fixed_[j]) continue;
            match[j] = begins_[j];
            starts |= std::uint64_t{1} << j;
        }
        for (; starts != 0; starts &= starts - 1)
            chosen.push_back(matches_[match[static_cast<std::size_t>(std::countr_zero(starts))]]);
    }
};

}  // namespace storymeter::meteor
