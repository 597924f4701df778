// The beam for sentences of any length; see short_beam.hpp for those of up to 64 words.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "match.hpp"

namespace storymeter::meteor {

class Beam {
  public:
    void run(const Candidates& candidates, const std::vector<std::uint8_t>& fixed, std::uint32_t test_size,
             std::uint32_t width, std::vector<Match>& chosen) {
        matches_ = candidates.matches;
        width_ = width;
        trail_.clear();
        Path start{};
        start.used.resize((test_size + 63) / 64);
        paths_.assign(1, start);
        const auto size = static_cast<std::uint32_t>(fixed.size());
        for (std::uint32_t cur = 0; cur <= size;) {
            const std::uint32_t begin = candidates.begins[std::min(cur, size)],
                                end = cur < size ? candidates.begins[cur + 1] : begin;
            if (begin == end) {
                const bool inside = close_chunks(cur);
                ++cur;
                if (!inside) {  // nothing can happen until the next candidate
                    while (cur < size && candidates.begins[cur] == candidates.begins[cur + 1]) ++cur;
                }
                continue;
            }
            if (fixed[cur]) {
                follow(begin);
            } else {
                expand(cur, begin, end);
            }
            ++cur;
        }
        collect(candidates, fixed, chosen);
    }

  private:
    // Smaller is better: weight descending, chunks and distance ascending, then the order in which the paths
    // were made.
    struct Key {
        std::uint64_t weight_and_chunks, distance;
        std::size_t order;

        static Key make(std::uint64_t weight, std::uint64_t chunks, std::uint64_t distance,
                        std::size_t order) {
            return {(0xFFFFFFFF - weight) << 32 | chunks, distance, order};
        }
        std::uint32_t chunks() const { return static_cast<std::uint32_t>(weight_and_chunks); }
        auto operator<=>(const Key&) const = default;
    };
    static constexpr std::uint32_t kClosed = 0xFFFFFFFF;
    struct Path {
        std::vector<std::uint64_t> used;  // test positions
        std::uint64_t distance;
        std::uint32_t weight, chunks;
        std::uint32_t last = kClosed;  // end of the last match in the test, or no open chunk
        std::uint32_t inside = 0;      // end of the last match in the reference
        std::uint32_t trail = 0;       // its matches, 0 = none
    };
    struct Step {
        std::uint32_t match, before;
    };
    struct Offer {
        Key key;
        std::uint32_t path, match;
    };
    static constexpr std::uint32_t kSkip = 0xFFFFFFFF;

    std::span<const Match> matches_;
    std::uint32_t width_ = 0;
    std::vector<Path> paths_, next_;
    std::vector<Step> trail_;
    std::vector<Offer> offers_;
    Key bound_{};
    bool bounded_ = false;

    static bool free(const Path& p, const Match& m) {
        for (std::uint32_t k = m.test; k < m.test + m.test_length; ++k) {
            if (p.used[k / 64] >> (k % 64) & 1) return false;
        }
        return true;
    }

    static std::uint32_t gain(const Match& m) {
        return m.module == kExact ? m.test_length + m.ref_length : m.test_length / 2u + m.ref_length / 2u;
    }

    static bool breaks(const Path& p, const Match& m) { return p.last != kClosed && m.test != p.last; }

    // No candidate starts here: paths outside a match close their chunk. Returns whether some path is inside
    // one.
    bool close_chunks(std::uint32_t cur) {
        bool inside = false, changed = false;
        for (Path& p : paths_) {
            if (cur < p.inside) {
                inside = true;
            } else if (p.last != kClosed) {
                ++p.chunks;
                p.last = kClosed;
                changed = true;
            }
        }
        if (changed) reorder();
        return inside;
    }

    // A settled match: every path takes it. Its weight and distance are the same for all and left out.
    void follow(std::uint32_t match) {
        const Match& m = matches_[match];
        bool changed = false;
        for (Path& p : paths_) {
            if (breaks(p, m)) {
                ++p.chunks;
                changed = true;
            }
            p.last = m.test + m.test_length;
            p.inside = m.ref + m.ref_length;
        }
        if (changed) reorder();
    }

    void reorder() {
        const auto rank = [](const Path& p) { return Key::make(p.weight, p.chunks, p.distance, 0); };
        if (std::is_sorted(paths_.begin(), paths_.end(),
                           [&](const Path& a, const Path& b) { return rank(a) < rank(b); }))
            return;
        offers_.clear();
        bounded_ = false;
        for (std::uint32_t k = 0; k < paths_.size(); ++k)
            offer(paths_[k].weight, paths_[k].chunks, paths_[k].distance, k, kSkip, k);
        select();
    }

    void expand(std::uint32_t cur, std::uint32_t begin, std::uint32_t end) {
        offers_.clear();
        bounded_ = false;
        std::size_t made = 0;
        for (std::uint32_t k = 0; k < paths_.size(); ++k) {
            Path& p = paths_[k];
            if (cur >= p.inside) {
                for (std::uint32_t m = begin; m < end; ++m) {
                    const Match& match = matches_[m];
                    if (!free(p, match)) continue;
                    offer(p.weight + gain(match), p.chunks + breaks(p, match), p.distance, k, m, made++);
                    p.distance += match.ref > match.test ? match.ref - match.test : match.test - match.ref;
                }
                if (p.last != kClosed) {
                    ++p.chunks;
                    p.last = kClosed;
                }
            }
            offer(p.weight, p.chunks, p.distance, k, kSkip, made++);
        }
        select();
    }

    void offer(std::uint64_t weight, std::uint64_t chunks, std::uint64_t distance, std::uint32_t path,
               std::uint32_t match, std::size_t order) {
        const Key key = Key::make(weight, chunks, distance, order);
        if (bounded_ && !(key < bound_)) return;
        offers_.push_back({key, path, match});
        if (offers_.size() >= 4096 + width_) {
            shrink();
            bound_ = std::max_element(offers_.begin(), offers_.end(), better)
                         ->key;  // nothing worse can come in any more
            bounded_ = true;
        }
    }

    static constexpr auto better = [](const Offer& a, const Offer& b) { return a.key < b.key; };

    // Only the best can live on; the others need not be kept until the end.
    void shrink() {
        std::nth_element(offers_.begin(), offers_.begin() + width_, offers_.end(), better);
        offers_.resize(width_);
    }

    void select() {
        if (offers_.size() > width_) shrink();
        std::sort(offers_.begin(), offers_.end(), better);
        next_.resize(offers_.size());
        for (std::size_t k = 0; k < offers_.size(); ++k) {
            next_[k] = paths_[offers_[k].path];
            if (offers_[k].match != kSkip) take(next_[k], offers_[k]);
        }
        paths_.swap(next_);
    }

    // `p` is a copy of the parent after its skip branch; chunks and distance before that stand in the key.
    void take(Path& p, const Offer& o) {
        const Match& m = matches_[o.match];
        p.weight += gain(m);
        p.chunks = o.key.chunks();
        p.distance = o.key.distance;
        p.last = m.test + m.test_length;
        p.inside = m.ref + m.ref_length;
        for (std::uint32_t k = m.test; k < p.last; ++k) p.used[k / 64] |= std::uint64_t{1} << (k % 64);
        trail_.push_back({o.match, p.trail});
        p.trail = static_cast<std::uint32_t>(trail_.size());
    }

    void collect(const Candidates& candidates, const std::vector<std::uint8_t>& fixed,
                 std::vector<Match>& chosen) const {
        for (std::uint32_t t = paths_[0].trail; t != 0; t = trail_[t - 1].before)
            chosen.push_back(matches_[trail_[t - 1].match]);
        for (std::size_t j = 0; j < fixed.size(); ++j) {
            if (fixed[j]) chosen.push_back(matches_[candidates.begins[j]]);
        }
        std::sort(chosen.begin(), chosen.end(), [](const Match& a, const Match& b) { return a.ref < b.ref; });
    }
};

}  // namespace storymeter::meteor
