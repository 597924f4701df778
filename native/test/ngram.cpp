// BLEU, Self-BLEU, ROUGE-L, CIDEr and counts of n-grams: values worked out by hand, and the longest common
// subsequence against the textbook recurrence.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "ngram/cider_groups.hpp"
#include "ngram/cut.hpp"
#include "ngram/lcs.hpp"
#include "ngram/ordered_sum.hpp"
#include "ngram/rewards.hpp"
#include "ngram/scores.hpp"

using namespace storymeter;

namespace {

using Doubles = std::vector<double>;
using Longs = std::vector<std::int64_t>;
using Numbers = std::vector<std::uint32_t>;

std::shared_ptr<const NgramIndex> index_of(const std::vector<std::string>& lines,
                                           std::shared_ptr<const NgramIndex> base = nullptr) {
    return std::make_shared<const NgramIndex>(lines, kOrders, std::move(base));
}

// The statistics of one candidate: the first line against the others.
Doubles bleu(const std::vector<std::string>& lines) {
    const auto index = index_of(lines);
    const std::span ids(index->ids());
    const Longs bounds{0, static_cast<std::int64_t>(lines.size()) - 1};
    Doubles out(kBleuColumns);
    bleu_statistics(*index, {ids.first(1), ids.subspan(1), bounds}, 1, out);
    return out;
}

Doubles rouge(const std::vector<std::string>& lines) {
    const auto index = index_of(lines);
    const std::span ids(index->ids());
    const Longs bounds{0, static_cast<std::int64_t>(lines.size()) - 1};
    Doubles out(2);
    rouge_l(*index, {ids.first(1), ids.subspan(1), bounds}, 1, out);
    return out;
}

// CIDEr of a candidate against the first of two items, whose references are "a b" and "c d".
double cider(const std::string& candidate, bool clip, double sigma) {
    const auto base = index_of({"a b", "c d"});
    const CiderModel model(base, base->ids(), Longs{0, 1, 2});
    const auto index = index_of({candidate, "a b"}, base);
    CHECK(model.fits(*index));
    double out = -1;
    const std::span ids(index->ids());
    model.score(*index, {ids.first(1), ids.subspan(1), Longs{0, 1}}, clip, sigma, 1, {&out, 1});
    return out;
}

std::size_t lcs_by_table(const Numbers& a, const Numbers& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            table[i][j] =
                a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1 : std::max(table[i - 1][j], table[i][j - 1]);
    return table[a.size()][b.size()];
}

}  // namespace

TEST_SUITE_BEGIN("ngram");

TEST_CASE("texts are cut at the white space of Python's str.split") {
    std::vector<std::string> words;
    cut_at_white_space(
        " a\tb\xC2\xA0\xE3\x80\x80"
        "c\x1C\xE2\x80\xA8 d\xC3\xA9 ",
        [&](std::string_view word) { words.emplace_back(word); });
    CHECK(words == std::vector<std::string>{"a", "b", "c", "d\xC3\xA9"});
    CHECK(white_space("\xE2\x80\x8B", 0) == 0);  // the zero-width space is none
}

TEST_CASE("matched n-grams are clipped by the reference that has most of each") {
    // the: 3, at most 2 in one reference; cat: 1. Of "the the" twice, one reference has one; "the cat" once.
    CHECK(bleu({"the the the cat", "the cat sat", "the the dog"}) == Doubles{3, 2, 0, 0, 4, 3, 2, 1, 4, 3});
    CHECK(bleu({"a b c d e", "a b c d e"}) == Doubles{5, 4, 3, 2, 5, 4, 3, 2, 5, 5});
    CHECK(bleu({"", "a"}) == Doubles{0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(bleu({"a"}) == Doubles{0, 0, 0, 0, 1, 0, 0, 0, 1, 0});
}

TEST_CASE("BLEU takes the closest reference length, the shorter of two equally close") {
    CHECK(bleu({"a b c d", "x x x", "x x x x x"}).back() == 3);
    CHECK(bleu({"a b c d", "x x x x x", "x"}).back() == 5);
}

TEST_CASE("Self-BLEU compares each sentence with the others of its group") {
    const auto index = index_of({"a b", "a c", "a b d"});
    Doubles out(3 * kBleuColumns);
    self_bleu_statistics(*index, index->ids(), Longs{0, 2, 3}, 1, out);
    CHECK(Doubles(out.begin(), out.begin() + 10) == Doubles{1, 0, 0, 0, 2, 1, 0, 0, 2, 2});
    CHECK(Doubles(out.begin() + 20, out.end()) ==
          Doubles{0, 0, 0, 0, 3, 2, 1, 0, 3, 0});  // alone in its group
    self_bleu_statistics(*index, index->ids(), Longs{0, 3}, 2, out);
    CHECK(Doubles(out.begin(), out.begin() + 10) == Doubles{2, 1, 0, 0, 2, 1, 0, 0, 2, 2});
}

TEST_CASE("ROUGE-L: best precision and best recall over the references") {
    CHECK(rouge({"a b c d", "a c d x y"}) == Doubles{3.0 / 4, 3.0 / 5});
    CHECK(rouge({"a b c d", "a c d x y", "d"}) == Doubles{3.0 / 4, 1.0});
    CHECK(rouge({"a b", "b a"}) == Doubles{0.5, 0.5});
    CHECK(rouge({"a b", "c"}) == Doubles{0, 0});
}

TEST_CASE("distinct and all n-grams") {
    const auto index = index_of({"a b a b", "a"});
    Doubles out(16);
    gram_counts(*index, index->ids(), out);
    CHECK(out == Doubles{2, 2, 2, 1, 4, 3, 2, 1, 1, 0, 0, 0, 1, 0, 0, 0});
}

TEST_CASE("item frequencies count an n-gram once per item") {
    const auto index = index_of({"a b", "a a", "a c"});
    const Doubles counted = item_frequencies(*index, index->ids(), Longs{0, 2, 3});
    const auto of = [&](std::uint32_t sentence, std::size_t k) {
        return counted[index->grams(sentence, 1)[k].id];
    };
    CHECK(of(1, 0) == 2);  // a
    double sum = 0;
    for (const double count : counted) sum += count;
    CHECK(sum == 7);  // a 2; b, c, "a b", "a a", "a c" 1 each
}

TEST_CASE("CIDEr by hand") {
    // Words of one item of two weigh ln 2; the cosine of "a b" with itself is 1 for orders 1 and 2 of four.
    CHECK(cider("a b", false, 0) == doctest::Approx(5.0).epsilon(1e-14));
    CHECK(cider("a x", false, 0) ==
          doctest::Approx(10.0 / 4 / 2).epsilon(1e-14));  // an unknown word weighs ln 2, too
    CHECK(cider("c d", false, 0) == 0.0);
    CHECK(cider("", false, 0) == 0.0);
    CHECK(cider("a a", false, 0) == doctest::Approx(10.0 / 4 / std::sqrt(2.0)).epsilon(1e-14));
    CHECK(cider("a a", true, 0) ==
          doctest::Approx(10.0 / 4 / (2 * std::sqrt(2.0))).epsilon(1e-14));  // CIDEr-D clips
    CHECK(cider("a", true, 6) ==
          doctest::Approx(10.0 / 4 / std::sqrt(2.0) * std::exp(-1.0 / 72)).epsilon(1e-14));
}

TEST_CASE("CIDEr with the document frequencies of each group") {
    const auto index = index_of({"a b", "c d", "a x"});
    const std::vector<std::uint32_t> ids(index->ids());
    // Group 0 counts over the items "a b" and "c d", group 1 over "a b" alone, where every weight is ln 1 =
    // 0.
    const Numbers candidates{ids[0], ids[2], ids[0]}, references{ids[0], ids[0], ids[0]},
        items{ids[0], ids[1], ids[0]};
    for (const int threads : {1, 2}) {
        Doubles out(3, -1);
        cider_by_group(*index, {candidates, references, Longs{0, 2, 3}, items, Longs{0, 2, 3}}, false, 0,
                       threads, out);
        CHECK(out[0] == doctest::Approx(5.0).epsilon(1e-14));
        CHECK(out[1] == doctest::Approx(1.25).epsilon(1e-14));
        CHECK(out[2] == 0.0);
    }
}

TEST_CASE("rewards give the bits of the batch kernels") {
    const std::vector<std::string> lines{"a dog runs on the grass", "the dog runs", "a cat sleeps",
                                         "the cat sleeps here"};
    const std::vector<std::string_view> known(lines.begin(), lines.end());
    const Longs bounds{0, 2, 4};
    const FittedCider fitted(known, bounds, 6.0);
    CHECK(fitted.items() == 2);
    const auto base = index_of(lines);
    const CiderModel model(base, base->ids(), bounds);
    const std::vector<std::string> texts{"the dog runs on grass", "a cat cat sleeps", "", "nothing at all"};
    const std::vector<std::string_view> samples(texts.begin(), texts.end());
    const Numbers items{0, 1};
    std::vector<std::string> all(texts);
    for (const std::size_t item : {0, 0, 1, 1})
        all.insert(all.end(), lines.begin() + 2 * static_cast<int>(item),
                   lines.begin() + 2 * static_cast<int>(item) + 2);
    const auto index = index_of(all, base);
    const std::span ids(index->ids());
    const Longs spread{0, 2, 4, 6, 8};
    const Batch batch{ids.first(4), ids.subspan(4), spread};
    Doubles expected(4), found(4), rows(4 * kBleuColumns), fast(rows);
    model.score(*index, batch, true, 6.0, 1, expected);
    bleu_statistics(*index, batch, 1, rows);
    for (const int threads : {1, 3}) {
        fitted.score({samples, 2, items, {}, {}}, threads, found);
        CHECK(found == expected);
        fitted.bleu({samples, 2, items, {}, {}}, threads, fast);
        CHECK(fast == rows);
    }
    CHECK(found[0] > found[1]);
    CHECK(found[2] == 0.0);
    // samples with references of their own
    const std::vector<std::string_view> own{known[0], known[1], known[2], known[3]};
    fitted.score({samples, 2, {}, own, bounds}, 1, found);
    CHECK(found == expected);
}

TEST_CASE("the longest common subsequence equals the textbook recurrence") {
    std::mt19937 draw(9);
    Lcs lcs(50);
    for (const std::size_t longest : {8, 70, 300, 700}) {
        for (int round = 0; round < 12; ++round) {
            const std::uint32_t words = 1 + draw() % 40;
            Numbers a(draw() % longest), b(draw() % longest);
            for (auto& word : a) word = draw() % words;
            for (auto& word : b) word = draw() % words;
            CHECK(lcs.length(a, b) == lcs_by_table(a, b));
        }
    }
    CHECK(lcs.length(Numbers{}, Numbers{1}) == 0);
}

TEST_CASE("tables of words and keys keep their numbers while they grow") {
    WordTable words;
    KeyTable keys;
    for (std::uint32_t k = 0; k < 3000; ++k) {
        CHECK(words.add("w" + std::to_string(k)) == 2 * k);
        CHECK(words.add("a much longer word " + std::to_string(k)) == 2 * k + 1);
        keys.insert(std::uint64_t{k} << 20, k);
    }
    CHECK(words.size() == 6000);
    CHECK(words.find("w17") == 34);
    CHECK(words.find("a much longer word 17") == 35);
    CHECK(words.find("w3000") == WordTable::kAbsent);
    CHECK(words.add("") == 6000);
    CHECK(words.find("") == 6000);
    CHECK(words.find(std::string_view("\0", 1)) == WordTable::kAbsent);
    CHECK(keys.find(std::uint64_t{2999} << 20) == 2999);
    CHECK(keys.find(1) == KeyTable::kAbsent);
}

TEST_CASE("n-grams have the same hash wherever they were met") {
    const auto one = index_of({"a b"}), other = index_of({"x", "b a", "a b"});
    const auto hash = [](const NgramIndex& index, std::uint32_t sentence, int order) {
        return index.gram_hashes()[index.grams(sentence, order)[0].id];
    };
    CHECK(hash(*one, 0, 2) == hash(*other, 2, 2));
    CHECK(hash(*one, 0, 2) != hash(*other, 1, 2));
}

TEST_CASE("sums do not depend on the order of their terms") {
    Doubles terms{1e16, 1.0, -1e16, 3.0, 1.0}, shuffled{1.0, 3.0, 1e16, 1.0, -1e16};
    CHECK(ordered_sum(terms) == ordered_sum(shuffled));
}

TEST_SUITE_END();
