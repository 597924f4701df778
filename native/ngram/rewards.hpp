// BLEU and CIDEr-D of batches of samples against references that were read once: from texts to scores in one
// pass, without an index of the batch. The same bits as bleu_statistics and CiderModel give.
//
// What is fitted never changes, so any number of threads may score at once; no value depends on the rest of
// the batch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "item_grams.hpp"
#include "word_table.hpp"

namespace storymeter {

// `each` samples per item, one item after the other. The references of item k are those that were fitted as
// item `items[k]`, or, without `items`, references[bounds[k] .. bounds[k + 1]).
struct Samples {
    std::span<const std::string_view> texts;
    std::size_t each = 1;
    std::span<const std::uint32_t> items;
    std::span<const std::string_view> references;
    std::span<const std::int64_t> bounds;

    std::size_t count() const { return each > 0 ? texts.size() / each : 0; }
};

// The references of a corpus as numbers of words; item k has lines[bounds[k] .. bounds[k + 1]).
class FittedReferences {
  public:
    FittedReferences(std::span<const std::string_view> lines, std::span<const std::int64_t> bounds);

    std::size_t items() const { return items_.size() - 1; }
    // Rows of kBleuColumns: see bleu_statistics.
    void bleu(const Samples& samples, int threads, std::span<double> rows) const;

  protected:
    // One thread's work: the present item, and the words that the corpus does not have.
    struct Scratch {
        ItemGrams grams;
        WordTable others;
        std::vector<std::uint32_t> words;
        std::uint32_t item = ItemGrams::kNone;
        std::vector<std::array<double, kOrders>> norms;  // of the item's references
        std::vector<std::vector<double>> terms;          // of the item's references
        std::vector<double> similarity;                  // with each of the item's references
        std::vector<double> values;
    };
    // Calls score(scratch, words, k) for sample k, with its item's references in scratch.grams, and before it
    // begin(scratch, item) whenever the item is another one.
    template <typename Begin, typename Score>
    void each_sample(const Samples& samples, int threads, Begin&& begin, Score&& score) const;
    std::span<const std::uint32_t> fitted(std::size_t reference) const {
        return std::span(words_).subspan(begins_[reference], begins_[reference + 1] - begins_[reference]);
    }
    std::span<const std::uint32_t> words(Scratch& scratch, std::string_view text) const;

    WordTable table_;
    std::vector<std::uint32_t> words_;
    std::vector<std::size_t> begins_{0};  // by reference, in words_
    std::vector<std::size_t> items_;      // the first reference of each item
};

// CIDEr-D with the document frequencies of the fitted references; see CiderModel.
class FittedCider : public FittedReferences {
  public:
    FittedCider(std::span<const std::string_view> lines, std::span<const std::int64_t> bounds, double sigma);

    void score(const Samples& samples, int threads, std::span<double> out) const;

  private:
    using Norms = std::array<double, kOrders>;
    struct Known {
        std::uint64_t key = 0;
        std::uint32_t id = ItemGrams::kNone;
        std::uint32_t frequency = 0;  // items whose references hold the n-gram
    };
    static std::uint64_t key(ItemGrams& grams, const ItemGrams::Node& node);
    std::size_t first_place(std::uint64_t key) const;
    std::size_t place(std::uint64_t key) const;
    std::size_t added(std::uint64_t key);
    void count_items();
    // Looks the counted n-grams of one order up in the corpus.
    void weigh(ItemGrams& grams, int order) const;
    static double norm(ItemGrams& grams, int order, std::vector<double>& squares);
    Norms norms(Scratch& scratch, std::span<const std::uint32_t> words) const;
    double sample(Scratch& scratch, std::span<const std::uint32_t> words) const;
    double penalty(std::size_t difference) const;

    double sigma_;
    std::vector<Known> known_ = std::vector<Known>(1024);
    std::size_t size_ = 0;
    std::vector<double> weights_;    // by frequency: ln(items) - ln(max(1, frequency))
    std::vector<double> penalties_;  // by difference of length, the usual ones
    std::vector<Norms> norms_;       // by reference
};

}  // namespace storymeter
