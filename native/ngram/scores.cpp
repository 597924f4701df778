#include "scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bleu_row.hpp"
#include "common/parallel.hpp"
#include "lcs.hpp"
#include "ordered_sum.hpp"

namespace storymeter {

namespace {

constexpr std::size_t kBlock = 256;

// Calls meet(i, j) for each n-gram that both lists hold; both are sorted by id.
template <typename Meet>
void intersect(std::span<const Gram> a, std::span<const Gram> b, Meet&& meet) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i].id == b[j].id) {
            meet(i++, j++);
        } else if (a[i].id < b[j].id) {
            ++i;
        } else {
            ++j;
        }
    }
}

}  // namespace

void bleu_statistics(const NgramIndex& index, const Batch& batch, int threads, std::span<double> out) {
    parallel_blocks(batch.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<std::uint32_t> most;
        for (std::size_t item = begin; item < end; ++item) {
            const std::uint32_t candidate = batch.candidates[item];
            const auto references = batch.of(item);
            const BleuRow row = bleu_row(out, item);
            std::fill_n(row.begin(), kOrders, 0.0);
            for (int order = 1; order <= kOrders; ++order) {
                const auto grams = index.grams(candidate, order);
                most.assign(grams.size(), 0);
                for (const std::uint32_t reference : references) {
                    const auto others = index.grams(reference, order);
                    intersect(grams, others, [&](std::size_t i, std::size_t j) {
                        most[i] = std::max(most[i], others[j].count);
                    });
                }
                std::uint64_t matched = 0;
                for (std::size_t i = 0; i < grams.size(); ++i) matched += std::min(grams[i].count, most[i]);
                row[static_cast<std::size_t>(order) - 1] = static_cast<double>(matched);
                if (matched == 0) break;  // no common n-gram: none of a higher order either
            }
            const std::uint32_t length = index.length(candidate);
            std::optional<std::uint32_t> closest;
            for (const std::uint32_t reference : references) {
                const std::uint32_t l = index.length(reference);
                if (!closest || closer(l, *closest, length)) closest = l;
            }
            fill_lengths(row, length, closest.value_or(0));
        }
    });
}

void self_bleu_statistics(const NgramIndex& index, std::span<const std::uint32_t> sentences,
                          std::span<const std::int64_t> bounds, int threads, std::span<double> out) {
    struct Use {
        std::uint32_t id, count;
        std::size_t member;
    };
    parallel_blocks(bounds.size() - 1, 1, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<Use> uses;
        std::vector<std::uint32_t> lengths;
        for (std::size_t group = begin; group < end; ++group) {
            const auto first = static_cast<std::size_t>(bounds[group]);
            const auto members =
                sentences.subspan(first, static_cast<std::size_t>(bounds[group + 1]) - first);
            lengths.clear();
            for (const std::uint32_t sentence : members) lengths.push_back(index.length(sentence));
            std::sort(lengths.begin(), lengths.end());
            for (std::size_t m = 0; m < members.size(); ++m) {
                const BleuRow row = bleu_row(out, first + m);
                std::fill_n(row.begin(), kOrders, 0.0);
                // The closest of the others stands beside this length in the sorted list (one copy of it is
                // its own).
                const std::uint32_t own = index.length(members[m]);
                const auto here = std::lower_bound(lengths.begin(), lengths.end(), own);
                std::optional<std::uint32_t> closest;
                if (here != lengths.begin()) closest = *(here - 1);
                if (here + 1 != lengths.end() && (!closest || closer(*(here + 1), *closest, own)))
                    closest = *(here + 1);
                fill_lengths(row, own, closest.value_or(0));
            }
            for (int order = 1; order <= kOrders; ++order) {
                uses.clear();
                for (std::size_t m = 0; m < members.size(); ++m)
                    for (const Gram& gram : index.grams(members[m], order))
                        uses.push_back({gram.id, gram.count, m});
                // Each n-gram's users, the heaviest first: what the others have at most is the first or the
                // second.
                std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
                    return a.id != b.id ? a.id < b.id : a.count > b.count;
                });
                for (std::size_t i = 0, j = 0; i < uses.size(); i = j) {
                    while (j < uses.size() && uses[j].id == uses[i].id) ++j;
                    for (std::size_t k = i; k < j; ++k) {
                        const std::uint32_t most = k != i ? uses[i].count : i + 1 < j ? uses[i + 1].count : 0;
                        bleu_row(out, first + uses[k].member)[static_cast<std::size_t>(order) - 1] +=
                            std::min(uses[k].count, most);
                    }
                }
            }
        }
    });
}

void rouge_l(const NgramIndex& index, const Batch& batch, int threads, std::span<double> out) {
    std::vector<Lcs> workers(static_cast<std::size_t>(std::max(threads, 1)), Lcs(index.words()));
    parallel_blocks(batch.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, int worker) {
        for (std::size_t item = begin; item < end; ++item) {
            const auto candidate = index.blank_words(batch.candidates[item]);
            double precision = 0.0, recall = 0.0;
            for (const std::uint32_t reference : batch.of(item)) {
                const auto words = index.blank_words(reference);
                const auto common =
                    static_cast<double>(workers[static_cast<std::size_t>(worker)].length(candidate, words));
                precision = std::max(precision, common / static_cast<double>(candidate.size()));
                recall = std::max(recall, common / static_cast<double>(words.size()));
            }
            out[2 * item] = precision;
            out[2 * item + 1] = recall;
        }
    });
}

void gram_counts(const NgramIndex& index, std::span<const std::uint32_t> sentences, std::span<double> out) {
    for (std::size_t s = 0; s < sentences.size(); ++s) {
        const std::uint32_t length = index.length(sentences[s]);
        for (std::size_t n = 0; n < kOrders; ++n) {
            out[s * 2 * kOrders + n] =
                static_cast<double>(index.grams(sentences[s], static_cast<int>(n) + 1).size());
            out[s * 2 * kOrders + kOrders + n] = length > n ? static_cast<double>(length - n) : 0.0;
        }
    }
}

std::vector<double> item_frequencies(const NgramIndex& index, std::span<const std::uint32_t> references,
                                     std::span<const std::int64_t> bounds) {
    std::vector<double> out(index.grams(), 0.0);
    std::vector<std::size_t> last(index.grams(), std::numeric_limits<std::size_t>::max());
    for (std::size_t item = 0; item + 1 < bounds.size(); ++item)
        for (auto r = static_cast<std::size_t>(bounds[item]); r < static_cast<std::size_t>(bounds[item + 1]);
             ++r)
            for (int order = 1; order <= kOrders; ++order)
                for (const Gram& gram : index.grams(references[r], order))
                    if (std::exchange(last[gram.id], item) != item) out[gram.id] += 1.0;
    return out;
}

CiderModel::CiderModel(std::shared_ptr<const NgramIndex> index, std::size_t items,
                       std::vector<double> frequencies)
    : index_(std::move(index)), log_frequency_(std::move(frequencies)) {
    log_items_ = items > 0 ? std::log(static_cast<double>(items)) : 0.0;
    for (double& value : log_frequency_) value = std::log(std::max(1.0, value));
    norms_ = all_norms(*index_, 0, 1);
}

CiderModel::CiderModel(std::shared_ptr<const NgramIndex> index, std::span<const std::uint32_t> references,
                       std::span<const std::int64_t> bounds)
    : CiderModel(index, bounds.size() - 1, item_frequencies(*index, references, bounds)) {}

double CiderModel::weight(const Gram& gram) const {
    const double seen = gram.id < log_frequency_.size() ? log_frequency_[gram.id] : 0.0;
    return gram.count * (log_items_ - seen);
}

CiderModel::Norms CiderModel::norms(const NgramIndex& index, std::uint32_t sentence) const {
    Norms norms{};
    std::vector<double> squares;
    for (int order = 1; order <= kOrders; ++order) {
        squares.clear();
        for (const Gram& gram : index.grams(sentence, order)) squares.push_back(weight(gram) * weight(gram));
        norms[static_cast<std::size_t>(order) - 1] = std::sqrt(ordered_sum(squares));
    }
    return norms;
}

std::vector<CiderModel::Norms> CiderModel::all_norms(const NgramIndex& index, std::size_t first,
                                                     int threads) const {
    std::vector<Norms> out(index.sentences() - first);
    parallel_blocks(out.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        for (std::size_t s = begin; s < end; ++s)
            out[s] = norms(index, static_cast<std::uint32_t>(first + s));
    });
    return out;
}

void CiderModel::score(const NgramIndex& index, const Batch& batch, bool clip, double sigma, int threads,
                       std::span<double> out) const {
    const std::size_t known = norms_.size();
    const std::vector<Norms> more = all_norms(index, known, threads);
    const auto norms_of = [&](std::uint32_t s) -> const Norms& {
        return s < known ? norms_[s] : more[s - known];
    };
    parallel_blocks(batch.size(), kBlock, threads, [&](std::size_t begin, std::size_t end, int) {
        std::vector<double> products, values;
        for (std::size_t item = begin; item < end; ++item) {
            const std::uint32_t candidate = batch.candidates[item];
            values.clear();
            for (const std::uint32_t reference : batch.of(item)) {
                double value = 0.0;
                for (int order = 1; order <= kOrders; ++order) {
                    const auto n = static_cast<std::size_t>(order) - 1;
                    const auto ours = index.grams(candidate, order), theirs = index.grams(reference, order);
                    products.clear();
                    intersect(ours, theirs, [&](std::size_t i, std::size_t j) {
                        const double a = weight(ours[i]), b = weight(theirs[j]);
                        products.push_back((clip ? std::min(a, b) : a) * b);
                    });
                    if (products.empty()) break;  // no common n-gram: none of a higher order either
                    const double scale = norms_of(candidate)[n] * norms_of(reference)[n];
                    if (scale > 0.0) value += ordered_sum(products) / scale;
                }
                const double difference = static_cast<double>(index.length(candidate)) -
                                          static_cast<double>(index.length(reference));
                if (sigma > 0.0) value *= std::exp(-(difference * difference) / (2.0 * sigma * sigma));
                values.push_back(value / kOrders);
            }
            out[item] =
                values.empty() ? 0.0 : 10.0 * ordered_sum(values) / static_cast<double>(values.size());
        }
    });
}

}  // namespace storymeter
