// Time intervals and monotone matching (SODA, ECCV 2020, equations 1, 5 and 6).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dense/matching.hpp"
#include "dense/open_entries.hpp"
#include "dense/segments.hpp"

using namespace storymeter;

namespace {

using Longs = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

// The best sum of weights over all monotone one-to-one matchings, by trying every one.
double best_by_trial(const std::vector<Doubles>& weights, std::size_t row, std::size_t column) {
    if (row == weights.size()) return 0.0;
    double best = best_by_trial(weights, row + 1, column);
    for (std::size_t j = column; j < weights[row].size(); ++j)
        best = std::max(best, weights[row][j] + best_by_trial(weights, row + 1, j + 1));
    return best;
}

struct Matched {
    double optimum;
    std::vector<std::pair<int, int>> pairs;
};

Matched match(const std::vector<Doubles>& weights) {
    Matcher matcher;
    matcher.begin(weights.empty() ? 0 : weights[0].size());
    for (const Doubles& row : weights) matcher.row(row);
    std::vector<Match> matches;
    matcher.trace(matches);
    Matched out{matcher.optimum(), {}};
    for (const Match& m : matches)
        out.pairs.emplace_back(static_cast<int>(m.row), static_cast<int>(m.column));
    return out;
}

// The tables of random problems as dense rows and as sparse entries.
struct Problems {
    std::vector<std::vector<Doubles>> tables;
    Longs row_begin, row_end, column_begin, column_end, offset{0};
    std::vector<std::int32_t> row, column;
    Doubles weight;

    void add(const std::vector<Doubles>& table, std::size_t columns) {
        const std::int64_t r0 = row_end.empty() ? 0 : row_end.back(),
                           c0 = column_end.empty() ? 0 : column_end.back();
        row_begin.push_back(r0);
        row_end.push_back(r0 + static_cast<std::int64_t>(table.size()));
        column_begin.push_back(c0);
        column_end.push_back(c0 + static_cast<std::int64_t>(columns));
        for (std::size_t i = 0; i < table.size(); ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                if (table[i][j] <= 0) continue;
                row.push_back(static_cast<std::int32_t>(r0 + static_cast<std::int64_t>(i)));
                column.push_back(static_cast<std::int32_t>(c0 + static_cast<std::int64_t>(j)));
                weight.push_back(table[i][j]);
            }
        }
        offset.push_back(static_cast<std::int64_t>(weight.size()));
        tables.push_back(table);
    }
    SparseProblems view() const {
        return {row_begin, row_end, column_begin, column_end, offset, row, column, weight};
    }
};

Problems random_problems(std::size_t count, unsigned seed) {
    std::mt19937 draw(seed);
    Problems out;
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t rows = draw() % 6, columns = draw() % 7;
        std::vector<Doubles> table(rows, Doubles(columns));
        for (Doubles& row : table)
            for (double& w : row) w = draw() % 3 ? static_cast<double>(draw() % 16) / 16 : 0.0;
        out.add(table, columns);
    }
    return out;
}

}  // namespace

TEST_SUITE_BEGIN("dense");

TEST_CASE("intersection over union of two intervals") {
    CHECK(interval_iou(0, 10, 5, 15, 0) == 5.0 / 15.0);
    CHECK(interval_iou(5, 15, 0, 10, 0) == 5.0 / 15.0);
    CHECK(interval_iou(0, 10, 2, 4, 0) == 0.2);
    CHECK(interval_iou(3, 8, 3, 8, 0) == 1.0);
    CHECK(interval_iou(0, 4, 2, 6, 2) == 2.0 / 8.0);  // epsilon stands in the denominator
    CHECK(interval_iou(0, 5, 5, 9, 0) == 0.0);        // they touch
    CHECK(interval_iou(0, 5, 7, 9, 0) == 0.0);
    CHECK(interval_iou(3, 3, 0, 9, 0) == 0.0);  // no length
    CHECK(interval_iou(8, 2, 0, 9, 0) == 0.0);  // reversed
    CHECK(interval_iou(std::numeric_limits<double>::quiet_NaN(), 2, 0, 9, 0) == doctest::Approx(2.0 / 9.0));
}

TEST_CASE("overlapping pairs of two videos, by candidate and then by reference") {
    const Doubles cs{0, 4, 0}, ce{4, 8, 2}, rs{0, 2, 1}, re{4, 6, 2};
    const Longs c0{0, 2}, c1{2, 3}, r0{0, 2}, r1{2, 3};
    for (const int threads : {1, 3}) {
        const Overlaps all = find_overlaps({cs, ce}, {rs, re}, {c0, c1, r0, r1}, 0.0, 0.0, true, threads);
        CHECK(all.offset == Longs{0, 3, 4});
        CHECK(all.candidate == std::vector<std::int32_t>{0, 0, 1, 2});
        CHECK(all.reference == std::vector<std::int32_t>{0, 1, 1, 2});
        CHECK(all.iou == Doubles{1.0, 2.0 / 6.0, 2.0 / 6.0, 0.5});
    }
    CHECK(find_overlaps({cs, ce}, {rs, re}, {c0, c1, r0, r1}, 0.0, 0.5, false, 1).iou == Doubles{1.0, 0.5});
    CHECK(find_overlaps({cs, ce}, {rs, re}, {c0, c1, r0, r1}, 0.0, 0.5, true, 1).iou == Doubles{1.0});
}

TEST_CASE("the nearest segment of the other side") {
    const Doubles cs{0, 4}, ce{4, 8}, rs{2, 20}, re{6, 30};
    const Longs zero{0}, two{2};
    const Nearest found = find_nearest({cs, ce}, {rs, re}, {zero, two, zero, two}, 0.0, 1);
    CHECK(found.candidate_iou == Doubles{2.0 / 6.0, 2.0 / 6.0});
    CHECK(found.reference_iou == Doubles{2.0 / 6.0, 0.0});
    CHECK(found.candidate_distance == Doubles{2, 2});
    CHECK(found.reference_distance == Doubles{2, 16});
    const Nearest alone = find_nearest({cs, ce}, {rs, re}, {zero, two, zero, zero}, 0.0, 1);
    CHECK(alone.candidate_iou == Doubles{0, 0});
    CHECK(alone.candidate_distance == Doubles(2, std::numeric_limits<double>::infinity()));
    CHECK(alone.reference_iou.empty());
}

TEST_CASE("small matchings by hand") {
    const Matched square = match({{0.5, 0.75}, {0.75, 0.5}});
    CHECK(square.optimum == 1.0);  // the crossing pair of 1.5 would reverse the order
    CHECK(square.pairs == std::vector<std::pair<int, int>>{{0, 0}, {1, 1}});
    const Matched wide = match({{0.0, 1.0, 0.25}, {0.75, 0.0, 0.5}});
    CHECK(wide.optimum == 1.5);
    CHECK(wide.pairs == std::vector<std::pair<int, int>>{{0, 1}, {1, 2}});
    CHECK(match({{0.0, 0.0}}).pairs.empty());  // a weight of 0 is no match
    CHECK(match({}).optimum == 0.0);
    CHECK(match({{}, {}}).optimum == 0.0);
}

TEST_CASE("matchings equal the best of all, and their pairs add up to it") {
    const Problems problems = random_problems(150, 5);
    for (const int threads : {1, 3}) {
        const Matchings sparse = match_sparse(problems.view(), threads);
        CHECK(sparse.offset.size() == problems.tables.size() + 1);
        for (std::size_t k = 0; k < problems.tables.size(); ++k) {
            const double best = best_by_trial(problems.tables[k], 0, 0);  // sixteenths: sums are exact
            CHECK(match(problems.tables[k]).optimum == best);
            CHECK(sparse.optimum[k] == best);
            double sum = 0;
            std::int64_t last_row = -1, last_column = -1;
            for (auto e = static_cast<std::size_t>(sparse.offset[k]);
                 e < static_cast<std::size_t>(sparse.offset[k + 1]); ++e) {
                const auto entry = static_cast<std::size_t>(sparse.entry[e]);
                CHECK(problems.row[entry] > last_row);
                CHECK(problems.column[entry] > last_column);
                last_row = problems.row[entry];
                last_column = problems.column[entry];
                sum += problems.weight[entry];
            }
            CHECK(sum == best);
        }
    }
}

TEST_CASE("only entries that can still matter are open") {
    Problems two_by_two;  // entries 0..3; the first is known, the others are upper bounds
    two_by_two.add({{1.0, 0.25}, {0.25, 0.5}}, 2);
    const std::vector<std::uint8_t> known{1, 0, 0, 0};
    CHECK(open_entries(two_by_two.view(), known, Longs{0}, 9, 1) ==
          Longs{3});  // 1 + 0.5; the others end at 0.25
    const std::vector<std::uint8_t> none(4, 0);
    CHECK(open_entries(two_by_two.view(), none, Longs{0}, 9, 1) == Longs{0, 1, 2, 3});
    CHECK(open_entries(two_by_two.view(), none, Longs{0}, 1, 1) ==
          Longs{0, 3});  // the greatest of each column
    CHECK(open_entries(two_by_two.view(), none, Longs{}, 9, 1).empty());
}

TEST_CASE("what is not open cannot change the optimum") {
    const Problems problems = random_problems(100, 11);
    std::mt19937 draw(3);
    std::vector<std::uint8_t> known(problems.weight.size());
    for (auto& flag : known) flag = draw() % 2;
    Longs all(problems.tables.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int64_t>(k);
    const Longs open = open_entries(problems.view(), known, all, 99, 2);
    CHECK(std::is_sorted(open.begin(), open.end()));
    Problems lowered = problems;  // entries that are neither known nor open lose all their weight
    for (std::size_t e = 0; e < known.size(); ++e)
        if (!known[e] && !std::binary_search(open.begin(), open.end(), static_cast<std::int64_t>(e)))
            lowered.weight[e] = 0.0;
    CHECK(open.size() < problems.weight.size());
    CHECK(match_sparse(lowered.view(), 1).optimum == match_sparse(problems.view(), 1).optimum);
}

TEST_SUITE_END();
