// Random bytes, random words and mutations through every n-gram kernel, checked against slow textbook
// versions.
//
//     fuzz_ngram [inputs] [seed]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "ngram/lcs.hpp"
#include "ngram/rewards.hpp"
#include "ngram/scores.hpp"

using namespace storymeter;

namespace {

std::mt19937_64 draw;
std::size_t below(std::size_t n) { return static_cast<std::size_t>(draw() % n); }

bool long_texts = false;  // long enough for the kernels that work on several words of bits at once

std::string text() {
    static const char* const pieces[] = {"a",
                                         "b",
                                         "dog",
                                         " ",
                                         " ",
                                         " ",
                                         "  ",
                                         "\t",
                                         "\xC2\xA0",
                                         "\xE3\x80\x80",
                                         "\xE2\x80\xA8",
                                         "\xC3\xA9",
                                         "\xF0\x9F\x98\x80",
                                         "\xFF",
                                         "\xE2",
                                         "\x1C"};
    std::string out;
    const std::size_t kind = below(100);
    if (long_texts) {
        for (std::size_t words = 250 + below(900); words > 0; --words)
            out += words % (2 + below(3)) ? "a " : "b ";
        return out;
    }
    const std::size_t length = kind == 0 ? 0 : kind == 99 ? 200 + below(600) : below(40);
    for (std::size_t i = 0; i < length; ++i) {
        if (kind < 10) {
            out.push_back(static_cast<char>(below(256)));
        } else if (kind < 15) {
            out += "a ";
        } else {
            out += pieces[below(std::size(pieces))];
        }
    }
    return out;
}

void fail(const char* what, unsigned long long input) {
    std::fprintf(stderr, "%s is wrong at input %llu\n", what, input);
    std::abort();
}

std::size_t slow_lcs(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
    std::vector<std::size_t> row(b.size() + 1, 0);
    for (const std::uint32_t x : a) {
        std::size_t diagonal = 0;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = x == b[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]);
            diagonal = above;
        }
    }
    return row[b.size()];
}

void keep_most(std::map<std::uint32_t, std::uint32_t>& most, const NgramIndex& index, std::uint32_t sentence,
               int order) {
    for (const Gram& gram : index.grams(sentence, order)) most[gram.id] = std::max(most[gram.id], gram.count);
}

// Fitted rewards, against fitted items and against references of their own: the bits of the batch kernels.
void check_rewards(const std::vector<std::string>& fitted, const std::vector<std::string>& lines,
                   const std::shared_ptr<const NgramIndex>& base, unsigned long long input) {
    const std::vector<std::string_view> known(fitted.begin(), fitted.end()),
        texts(lines.begin(), lines.end());
    std::vector<std::int64_t> bounds{0};  // items of one or two references
    while (bounds.back() < static_cast<std::int64_t>(known.size()))
        bounds.push_back(std::min(bounds.back() + 1 + static_cast<std::int64_t>(below(2)),
                                  static_cast<std::int64_t>(known.size())));
    const FittedCider reward(known, bounds, 6.0);
    const CiderModel model(base, base->ids(), bounds);
    const std::size_t each = 1 + below(2), items = texts.size() / each;
    std::vector<std::uint32_t> which;
    std::vector<std::string_view> own;
    std::vector<std::int64_t> own_bounds{0};
    for (std::size_t k = 0; k < items; ++k) {
        which.push_back(static_cast<std::uint32_t>(below(bounds.size() - 1)));
        for (std::size_t r = below(3); r > 0; --r) own.push_back(texts[below(texts.size())]);
        own_bounds.push_back(static_cast<std::int64_t>(own.size()));
    }
    const std::span samples(texts.data(), items * each);
    for (const bool given : {false, true}) {
        Samples asked{samples, each, which, {}, {}};
        if (given) asked = {samples, each, {}, own, own_bounds};
        std::vector<std::string> all(lines.begin(),
                                     lines.begin() + static_cast<std::ptrdiff_t>(items * each));
        std::vector<std::int64_t> spread{0};
        for (std::size_t s = 0; s < samples.size(); ++s) {
            const std::size_t item = given ? s / each : which[s / each];
            const auto& from = given ? own : known;
            const auto& edges = given ? own_bounds : bounds;
            for (auto r = edges[item]; r < edges[item + 1]; ++r)
                all.emplace_back(from[static_cast<std::size_t>(r)]);
            spread.push_back(static_cast<std::int64_t>(all.size() - samples.size()));
        }
        const NgramIndex index(all, kOrders, base);
        const std::span ids(index.ids());
        const Batch batch{ids.first(samples.size()), ids.subspan(samples.size()), spread};
        std::vector<double> want(samples.size()), got(want), rows(samples.size() * kBleuColumns), fast(rows);
        model.score(index, batch, true, 6.0, 1, want);
        reward.score(asked, 1, got);
        if (got != want) fail("the reward CIDEr-D", input);
        bleu_statistics(index, batch, 1, rows);
        reward.bleu(asked, 1, fast);
        if (fast != rows) fail("the reward BLEU", input);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned long long inputs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    const unsigned long long seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    draw.seed(seed);
    std::printf("n-gram kernels: %llu texts, seed %llu\n", inputs, seed);
    for (unsigned long long done = 0; done < inputs;) {
        std::vector<std::string> fitted(1 + below(4)), lines(1 + below(6));
        long_texts = below(500) == 0;
        for (auto& line : fitted) line = text();
        for (auto& line : lines) line = below(5) == 0 ? fitted[below(fitted.size())] : text();
        done += fitted.size() + lines.size();

        const auto base = std::make_shared<const NgramIndex>(fitted, kOrders);
        const auto index = std::make_shared<const NgramIndex>(lines, kOrders, base);
        std::vector<std::uint32_t> candidates, references;
        std::vector<std::int64_t> bounds{0};
        for (const std::uint32_t id : index->ids()) {
            candidates.push_back(id);
            for (std::size_t k = below(4); k > 0; --k)
                references.push_back(static_cast<std::uint32_t>(below(index->sentences())));
            bounds.push_back(static_cast<std::int64_t>(references.size()));
        }
        const Batch batch{candidates, references, bounds};
        const int threads = below(200) == 0 ? 3 : 1;  // threads are slow to start

        std::vector<double> bleu(candidates.size() * kBleuColumns), self(bleu.size()),
            rouge(candidates.size() * 2), cider(candidates.size());
        bleu_statistics(*index, batch, threads, bleu);
        rouge_l(*index, batch, threads, rouge);
        std::vector<std::int64_t> whole{0, static_cast<std::int64_t>(candidates.size())};
        self_bleu_statistics(*index, candidates, whole, threads, self);
        std::vector<double> grams(candidates.size() * 2 * kOrders);
        gram_counts(*index, candidates, grams);
        std::vector<std::int64_t> each;
        for (std::size_t k = 0; k <= base->ids().size(); ++k) each.push_back(static_cast<std::int64_t>(k));
        const CiderModel model(base, base->ids(), each);
        model.score(*index, batch, below(2) == 0, below(2) == 0 ? 6.0 : 0.0, threads, cider);
        check_rewards(fitted, lines, base, done);

        Lcs lcs(index->words());
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (!(cider[i] >= 0.0 && cider[i] <= 10.0 + 1e-9)) fail("CIDEr", done);
            for (int order = 1; order <= kOrders; ++order) {
                std::map<std::uint32_t, std::uint32_t> most, others;
                for (const std::uint32_t reference : batch.of(i)) keep_most(most, *index, reference, order);
                for (std::size_t k = 0; k < candidates.size(); ++k)
                    if (k != i) keep_most(others, *index, candidates[k], order);
                double matched = 0, alone = 0;
                for (const Gram& gram : index->grams(candidates[i], order)) {
                    matched += std::min(gram.count, most[gram.id]);
                    alone += std::min(gram.count, others[gram.id]);
                }
                if (bleu[i * kBleuColumns + static_cast<std::size_t>(order) - 1] != matched)
                    fail("BLEU", done);
                if (self[i * kBleuColumns + static_cast<std::size_t>(order) - 1] != alone)
                    fail("Self-BLEU", done);
            }
            const auto words = index->blank_words(candidates[i]);
            double precision = 0;
            for (const std::uint32_t reference : batch.of(i)) {
                const std::size_t common = slow_lcs(words, index->blank_words(reference));
                if (lcs.length(words, index->blank_words(reference)) != common) fail("LCS", done);
                precision =
                    std::max(precision, static_cast<double>(common) / static_cast<double>(words.size()));
            }
            if (rouge[2 * i] != precision) fail("ROUGE-L", done);
        }
    }
    std::puts("no fault found");
}
