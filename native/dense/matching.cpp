#include "matching.hpp"

#include <algorithm>

#include "common/parallel.hpp"

namespace storymeter {

namespace {
enum Way : std::uint8_t { kUp = 0, kLeft = 1, kMatch = 2 };
}

void Matcher::begin(std::size_t columns) {
    columns_ = columns;
    rows_ = 0;
    stride_ = (columns + 3) / 4;
    sums_.assign(columns + 1, 0.0);
    way_.clear();
}

void Matcher::row(std::span<const double> weights) {
    ++rows_;
    way_.resize(rows_ * stride_);
    std::uint8_t* way = way_.data() + (rows_ - 1) * stride_;
    double diagonal = 0.0, left = 0.0;  // S[i-1][j-1] and S[i][j-1]
    for (std::size_t j = 0; j < columns_;) {
        std::uint8_t packed = 0;
        for (unsigned shift = 0; shift < 8 && j < columns_; shift += 2, ++j) {
            const double up = sums_[j + 1];
            const double match = diagonal + weights[j];
            double best = up;
            unsigned chosen = kUp;
            // strictly greater: a match with weight 0 never wins
            if (left > best) {
                best = left;
                chosen = kLeft;
            }
            if (match > best) {
                best = match;
                chosen = kMatch;
            }
            packed = static_cast<std::uint8_t>(packed | (chosen << shift));
            diagonal = up;
            sums_[j + 1] = left = best;
        }
        *way++ = packed;
    }
}

void Matcher::trace(std::vector<Match>& out) const {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    std::size_t i = rows_, j = columns_;
    while (i > 0 && j > 0) {
        const unsigned chosen = (way_[(i - 1) * stride_ + (j - 1) / 4] >> (2 * ((j - 1) % 4))) & 3U;
        if (chosen == kMatch) {
            out.push_back({static_cast<std::int64_t>(--i), static_cast<std::int64_t>(--j)});
        } else if (chosen == kLeft) {
            --j;
        } else {
            --i;
        }
    }
    std::reverse(out.begin() + first, out.end());
}

namespace {

// One problem; appends the matched entries.
double match_one(const SparseProblems& p, std::size_t k, Matcher& matcher, std::vector<double>& weights,
                 std::vector<Match>& matches, std::vector<std::int64_t>& entries) {
    const auto columns = static_cast<std::size_t>(p.column_end[k] - p.column_begin[k]);
    std::int64_t at = p.offset[k];
    const std::int64_t end = p.offset[k + 1];
    if (at == end) return 0.0;
    weights.assign(columns, 0.0);
    matcher.begin(columns);
    std::vector<std::int64_t> row_entries;  // first entry of each row
    for (std::int64_t row = p.row_begin[k]; row < p.row_end[k]; ++row) {
        const std::int64_t first = at;
        row_entries.push_back(first);
        for (; at < end && p.row[at] == row; ++at)
            weights[static_cast<std::size_t>(p.column[at] - p.column_begin[k])] = p.weight[at];
        matcher.row(weights);
        for (std::int64_t e = first; e < at; ++e)
            weights[static_cast<std::size_t>(p.column[e] - p.column_begin[k])] = 0.0;
    }
    row_entries.push_back(end);
    matches.clear();
    matcher.trace(matches);
    for (const Match& match : matches) {
        const auto row = static_cast<std::size_t>(match.row);
        const auto found =
            std::lower_bound(p.column.begin() + row_entries[row], p.column.begin() + row_entries[row + 1],
                             static_cast<std::int32_t>(match.column + p.column_begin[k]));
        entries.push_back(found - p.column.begin());
    }
    return matcher.optimum();
}

}  // namespace

Matchings match_sparse(const SparseProblems& problems, int threads) {
    constexpr std::size_t kBlock = 16;
    const std::size_t blocks = (problems.count() + kBlock - 1) / kBlock;
    Matchings out;
    out.optimum.assign(problems.count(), 0.0);
    out.offset.assign(problems.count() + 1, 0);
    std::vector<std::vector<std::int64_t>> found(blocks);
    struct Scratch {
        Matcher matcher;
        std::vector<double> weights;
        std::vector<Match> matches;
    };
    std::vector<Scratch> scratch(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_blocks(blocks, 1, threads, [&](std::size_t begin, std::size_t end, int worker) {
        auto& [matcher, weights, matches] = scratch[static_cast<std::size_t>(worker)];
        for (std::size_t block = begin; block < end; ++block) {
            for (std::size_t k = block * kBlock; k < std::min(problems.count(), (block + 1) * kBlock); ++k) {
                const std::size_t before = found[block].size();
                out.optimum[k] = match_one(problems, k, matcher, weights, matches, found[block]);
                out.offset[k + 1] = static_cast<std::int64_t>(found[block].size() - before);
            }
        }
    });
    for (std::size_t k = 0; k < problems.count(); ++k) out.offset[k + 1] += out.offset[k];
    out.entry.reserve(static_cast<std::size_t>(out.offset.back()));
    for (const auto& entries : found) out.entry.insert(out.entry.end(), entries.begin(), entries.end());
    return out;
}

}  // namespace storymeter
