#include "redundancy.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace storymeter {
namespace {

using Words = std::span<const std::int32_t>;

// Distinct words in ascending order, each with how often it occurs.
struct Bag {
    std::vector<std::int32_t> word;
    std::vector<std::int64_t> count;

    void fill(Words words) {
        word.assign(words.begin(), words.end());
        std::sort(word.begin(), word.end());
        count.clear();
        std::size_t kept = 0;
        for (std::size_t i = 0; i < word.size();) {
            std::size_t j = i;
            while (j < word.size() && word[j] == word[i]) ++j;
            word[kept++] = word[i];
            count.push_back(static_cast<std::int64_t>(j - i));
            i = j;
        }
        word.resize(kept);
    }
};

// |A ∩ B| / |A ∪ B| of the distinct words; with `pairs`, equal pairs of tokens are counted above the line.
double likeness(const Bag& a, const Bag& b, bool pairs) {
    std::size_t i = 0, j = 0, common = 0;
    std::int64_t equal = 0;
    while (i < a.word.size() && j < b.word.size()) {
        if (a.word[i] < b.word[j]) {
            ++i;
        } else if (b.word[j] < a.word[i]) {
            ++j;
        } else {
            ++common;
            equal += a.count[i++] * b.count[j++];
        }
    }
    const std::size_t united = a.word.size() + b.word.size() - common;
    if (united == 0) return 0.0;
    return static_cast<double>(pairs ? equal : static_cast<std::int64_t>(common)) /
           static_cast<double>(united);
}

double mean(double sum, std::size_t count) {
    return count ? sum / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void redundancy(std::span<const std::int32_t> words, std::span<const std::int64_t> sentences,
                std::span<const std::int64_t> stories, const RedundancyOptions& options,
                std::span<double> out) {
    const std::size_t count = stories.size() - 1;
    parallel_blocks(count, 256, options.threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<Bag> bags;
        Bag left, right;
        for (std::size_t k = begin; k < end; ++k) {
            const auto first = static_cast<std::size_t>(stories[k]),
                       last = static_cast<std::size_t>(stories[k + 1]);
            if (bags.size() < last - first) bags.resize(last - first);
            double inter = 0, intra = 0;
            std::size_t inter_pairs = 0, intra_pairs = 0;
            for (std::size_t s = first; s < last; ++s) {
                const Words sentence =
                    words.subspan(static_cast<std::size_t>(sentences[s]),
                                  static_cast<std::size_t>(sentences[s + 1] - sentences[s]));
                bags[s - first].fill(sentence);
                for (std::size_t t = first; t < s; ++t, ++inter_pairs)
                    inter += likeness(bags[s - first], bags[t - first], options.pairs);
                for (std::size_t w = 0; w < sentence.size(); w += options.n) {
                    right.fill(sentence.subspan(w, std::min(options.n, sentence.size() - w)));
                    if (w > 0) {
                        intra += likeness(left, right, options.pairs);
                        ++intra_pairs;
                    }
                    std::swap(left, right);
                }
            }
            out[2 * k] = mean(inter, inter_pairs);
            out[2 * k + 1] = mean(intra, intra_pairs);
        }
    });
}

}  // namespace storymeter
