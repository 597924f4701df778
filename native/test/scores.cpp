// Redundancy of stories, dot products, greedy matching, word alignment, rank statistics and facts about JSON.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "json/facts.hpp"
#include "stats/concordance.hpp"
#include "story/redundancy.hpp"
#include "vectors/alignment.hpp"
#include "vectors/vectors.hpp"

using namespace storymeter;

namespace {

using Doubles = std::vector<double>;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;
using Longs = std::vector<std::int64_t>;

Doubles redundancy_of(const Ints& words, const Longs& sentences, const Longs& stories, std::size_t n,
                      bool pairs) {
    Doubles out(2 * (stories.size() - 1));
    redundancy(words, sentences, stories, {n, pairs, 2}, out);
    return out;
}

// A similarity with the bit that says whether two words exclude each other.
float alike(float value, bool excluding) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return std::bit_cast<float>(excluding ? bits | 1U : bits & ~1U);
}

}  // namespace

TEST_SUITE_BEGIN("story");

TEST_CASE("Jaccard similarity of sentences and of neighbouring n-grams") {
    // {1,2,3} and {2,3,4} share 2 of 4 words; the bigrams [1 2][3] and [2 3][4] share none.
    CHECK(redundancy_of({1, 2, 3, 2, 3, 4}, {0, 3, 6}, {0, 2}, 2, false) == Doubles{0.5, 0.0});
    // [1 2][1 2] are equal, [1 2][1] share 1 of 2.
    CHECK(redundancy_of({1, 2, 1, 2, 1, 9}, {0, 5, 6}, {0, 2}, 2, false) == Doubles{0.0, 0.75});
    CHECK(redundancy_of({1, 1, 2, 1, 3}, {0, 3, 5}, {0, 2}, 4, false)[0] == 1.0 / 3);
    CHECK(redundancy_of({1, 1, 2, 1, 3}, {0, 3, 5}, {0, 2}, 4, true)[0] ==
          2.0 / 3);  // equal pairs over the union
    const Doubles alone = redundancy_of({1, 2}, {0, 2, 2, 2}, {0, 1, 3}, 4, false);
    CHECK(std::isnan(alone[0]));  // no pair of sentences, no pair of n-grams
    CHECK(std::isnan(alone[1]));
    CHECK(alone[2] == 0.0);  // two empty sentences
}

TEST_SUITE_END();
TEST_SUITE_BEGIN("vectors");

TEST_CASE("dot products") {
    Floats a(37), b(37, 2.0F);
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = static_cast<float>(k);
    CHECK(dot(a, b) == 36 * 37);
    CHECK(dot(std::span(a).first(3), std::span(b).first(3)) == 6);
    CHECK(dot({}, {}) == 0);
    const Floats rows{1, 2, 3, 4, 5, 6};
    Doubles out(3);
    dot_indexed({rows, 2}, {rows, 2}, Longs{0, 2, 1}, Longs{1, 2, 0}, out, 2);
    CHECK(out == Doubles{1 * 3 + 2 * 4, 25 + 36, 11});
}

TEST_CASE("greedy matching: precision, recall and F1 by hand") {
    const Floats candidates{1, 0, 0, 1, -1, 0}, references{1, 0};
    const Doubles candidate_weight{1, 3, 2}, reference_weight{5};
    const Longs candidate_offset{0, 2, 3, 3}, reference_offset{0, 1};
    Doubles out(9, -1);
    greedy_matching({{candidates, 2}, candidate_offset, candidate_weight},
                    {{references, 2}, reference_offset, reference_weight}, Longs{0, 1, 2}, Longs{0, 0, 0},
                    out, 1);
    CHECK(out[0] == 0.25);  // of weights 1 and 3 the first finds its like
    CHECK(out[1] == 1.0);
    CHECK(out[2] == doctest::Approx(0.4));
    CHECK(Doubles(out.begin() + 3, out.end()) == Doubles(6, 0.0));  // opposite; without a token
}

TEST_CASE("align and penalise by hand") {
    const Floats table{alike(0.5F, false), alike(0.25F, false), alike(0.75F, true), alike(1.0F, false)};
    const Longs offset{0, 1, 2, 2}, both{0, 2};
    const Ints words{0, 1};
    const Floats weights{1, 1};
    Doubles out(3, -1);
    const Penalty penalty{0.375F, 0.125F, 0.25F};
    align_and_penalise({table, 2}, {offset, words, weights}, {both, words, weights}, Longs{0, 1, 2},
                       Longs{0, 0, 0}, penalty, out, 1);
    CHECK(out[0] == 0.5 * (0.5 + (0.5 - 0.125) / 2));  // the second reference word is too unlike: -0.125
    CHECK(out[1] == 0.5 * (1.0 + (-0.25 + 1.0) / 2));  // the first one is nearest to a word that excludes it
    CHECK(out[2] == 0.0);                              // no word
    const Longs one{0, 1};
    align_and_penalise({table, 2}, {offset, words, weights}, {one, words, weights}, Longs{1}, Longs{0},
                       penalty, std::span(out).first(1), 1);
    CHECK(out[0] == -0.25);
}

TEST_SUITE_END();
TEST_SUITE_BEGIN("stats");

TEST_CASE("concordant and tied pairs by hand") {
    const Ints fixed{0, 1, 2, 2}, columns{0, 2, 1, 3, 1, 1, 0, 0};
    std::vector<std::int64_t> out(2 * kConcordanceCounts, -1);
    concordance(fixed, 3, {4, columns}, 4, out, 1);
    // Column 1: of the five pairs that `fixed` orders, only (2, 1) is discordant: 4 - 1.
    CHECK(Longs(out.begin(), out.begin() + 4) == Longs{3, 0, 0, 4});
    // Column 2: four pairs against the order, one tied; the last two are tied on both sides.
    CHECK(Longs(out.begin() + 4, out.end()) == Longs{-4, 2, 1, 2});
}

TEST_CASE("products of ranks by hand") {
    const Doubles fixed{-1, 0, 1};
    const Ints columns{0, 2, 1, 1, 0, 1};
    Doubles out(4);
    rank_products(fixed, {3, columns}, 3, out, 1);
    CHECK(out == Doubles{1, 2, 0, 1.5});  // ranks -1 1 0, and 0.5 -1 0.5
}

TEST_CASE("units of two columns change places where their bit is set") {
    const Ints first{0, 1, 2}, second{2, 1, 0}, unit{0, 0, 9}, fixed{0, 1, 2};
    const std::vector<std::uint8_t> swaps{0x00, 0x00, 0x80, 0x40};  // none; units 0 and 9
    const Columns columns{3, first, second, unit, swaps, 2};
    CHECK(columns.count() == 4);
    Ints scratch;
    const auto column = [&](std::size_t c) {
        const auto ranks = columns.at(c, scratch);
        return Ints(ranks.begin(), ranks.end());
    };
    CHECK(column(0) == first);
    CHECK(column(1) == second);
    CHECK(column(2) == second);
    CHECK(column(3) == first);
    std::vector<std::int64_t> out(4 * kConcordanceCounts);
    concordance(fixed, 3, columns, 3, out, 2);
    CHECK(out[0] == 3);
    CHECK(out[4] == -3);
    CHECK(out[8] == -3);
    CHECK(out[12] == 3);
}

TEST_SUITE_END();
TEST_SUITE_BEGIN("json");

TEST_CASE("depth and doubled keys of a JSON text") {
    CHECK(json_facts("").depth == 0);
    CHECK(json_facts("[1, {\"a\": [2]}]").depth == 3);
    CHECK(json_facts("\"[[[\"").depth == 0);  // inside a string
    CHECK_FALSE(json_facts(R"({"a": {"a": 1}, "b": {"a": 2}})").doubtful_keys);
    CHECK_FALSE(json_facts(R"([{"a": 1}, {"a": 2}])").doubtful_keys);
    CHECK_FALSE(json_facts(R"({"a": "a", "b": "a"})").doubtful_keys);
    CHECK(json_facts(R"({"a": 1, "b": 2, "a" : 3})").doubtful_keys);
    CHECK(json_facts(R"({"b": {"x": [1, {"y": 1}]}, "b": 0})").doubtful_keys);
    CHECK(json_facts(R"({"\u0061": 1})").doubtful_keys);  // written with escapes: may be any key
    CHECK_FALSE(json_facts(R"({"a": "say \"a\": 1"})").doubtful_keys);
    std::string many = "{";
    for (int k = 0; k < 100; ++k) many += "\"k" + std::to_string(k) + "\": 0, ";
    CHECK_FALSE(json_facts(many + "\"k100\": 0}").doubtful_keys);
    CHECK(json_facts(many + "\"k99\": 0}").doubtful_keys);
}

TEST_CASE("broken JSON is read within its bounds") {
    for (const char* const text : {"\"", "\"\\", "{\"a", "{\"a\"", "}}]]", "{\"a\":\"\\"}) {
        const std::string copy(text);
        const std::vector<char> exact(copy.begin(), copy.end());  // nothing behind it
        CHECK(json_facts({exact.data(), exact.size()}).depth <= copy.size());
    }
}

TEST_SUITE_END();
