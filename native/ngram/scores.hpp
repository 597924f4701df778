// Statistics of BLEU (Papineni et al., ACL 2002), Self-BLEU (Zhu et al., SIGIR 2018), ROUGE-L (Lin, 2004),
// CIDEr and CIDEr-D (Vedantam et al., CVPR 2015) and of the diversity of texts, for a batch of sentences.
//
// A batch is a list of items: one candidate sentence and its references, `references[bounds[i] ..
// bounds[i+1])`, all as sentence numbers of an index. Every result is the same whatever the number of threads
// and the order of the lines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "index.hpp"

namespace storymeter {

struct Batch {
    std::span<const std::uint32_t> candidates;
    std::span<const std::uint32_t> references;
    std::span<const std::int64_t> bounds;  // candidates + 1 of them, ascending from 0

    std::size_t size() const { return candidates.size(); }
    std::span<const std::uint32_t> of(std::size_t item) const {
        return references.subspan(static_cast<std::size_t>(bounds[item]),
                                  static_cast<std::size_t>(bounds[item + 1] - bounds[item]));
    }
};

// Matched n-grams (clipped by the reference that has most of each), candidate n-grams, candidate length,
// closest reference length (the shorter of two equally close).
inline constexpr std::size_t kBleuColumns = 2 * kOrders + 2;
void bleu_statistics(const NgramIndex& index, const Batch& batch, int threads, std::span<double> out);

// The same for each sentence against all others of its group; a sentence alone in its group gets reference
// length 0.
void self_bleu_statistics(const NgramIndex& index, std::span<const std::uint32_t> sentences,
                          std::span<const std::int64_t> bounds, int threads, std::span<double> out);

// Highest precision and highest recall of the longest common subsequence over the references: two columns.
void rouge_l(const NgramIndex& index, const Batch& batch, int threads, std::span<double> out);

// Distinct n-grams of orders 1-4, then all n-grams of orders 1-4: eight columns per sentence.
void gram_counts(const NgramIndex& index, std::span<const std::uint32_t> sentences, std::span<double> out);

// In how many items the references hold each n-gram, by its id.
std::vector<double> item_frequencies(const NgramIndex& index, std::span<const std::uint32_t> references,
                                     std::span<const std::int64_t> bounds);

// CIDEr: 10 times the mean, over references and orders 1-4, of the cosine of tf-idf vectors, with
// idf = ln(items) - ln(max(1, items whose references hold the n-gram)). `clip` (CIDEr-D) takes min(candidate,
// reference) for the candidate's weight; `sigma` multiplies with exp(-(difference of lengths)^2 / (2
// sigma^2)).
class CiderModel {
  public:
    // Frequencies by n-gram of the index, counted over a corpus of so many items that may be larger.
    CiderModel(std::shared_ptr<const NgramIndex> index, std::size_t items, std::vector<double> frequencies);
    CiderModel(std::shared_ptr<const NgramIndex> index, std::span<const std::uint32_t> references,
               std::span<const std::int64_t> bounds);
    // `index` is the model's own or one that stands on it. `sigma` 0: no length penalty.
    void score(const NgramIndex& index, const Batch& batch, bool clip, double sigma, int threads,
               std::span<double> out) const;
    bool fits(const NgramIndex& index) const { return &index == index_.get() || index.base() == index_; }

  private:
    using Norms = std::array<double, kOrders>;
    double weight(const Gram& gram) const;
    Norms norms(const NgramIndex& index, std::uint32_t sentence) const;
    std::vector<Norms> all_norms(const NgramIndex& index, std::size_t first, int threads) const;

    std::shared_ptr<const NgramIndex> index_;
    double log_items_ = 0.0;
    std::vector<double> log_frequency_;  // by n-gram; ln(max(1, items whose references hold it))
    std::vector<Norms> norms_;
};

}  // namespace storymeter
