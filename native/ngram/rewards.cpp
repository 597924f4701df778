#include "rewards.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bleu_row.hpp"
#include "common/parallel.hpp"
#include "cut.hpp"
#include "ordered_sum.hpp"

namespace storymeter {

namespace {

constexpr std::size_t kStride = 16;

#if defined(__GNUC__)
void prefetch(const void* at) { __builtin_prefetch(at); }
#else
void prefetch(const void*) {}
#endif

}  // namespace

FittedReferences::FittedReferences(std::span<const std::string_view> lines,
                                   std::span<const std::int64_t> bounds)
    : items_(bounds.begin(), bounds.end()) {
    for (const std::string_view line : lines) {
        cut_at_white_space(line, [&](std::string_view word) { words_.push_back(table_.add(word)); });
        begins_.push_back(words_.size());
    }
}

std::span<const std::uint32_t> FittedReferences::words(Scratch& scratch, std::string_view text) const {
    scratch.words.clear();
    cut_at_white_space(text, [&](std::string_view word) {
        std::uint32_t number = table_.find(word);
        if (number == WordTable::kAbsent)
            number = static_cast<std::uint32_t>(table_.size()) + scratch.others.add(word);
        scratch.words.push_back(number);
    });
    return scratch.words;
}

template <typename Begin, typename Score>
void FittedReferences::each_sample(const Samples& samples, int threads, Begin&& begin, Score&& score) const {
    std::vector<Scratch> workers(static_cast<std::size_t>(std::max(threads, 1)));
    parallel_blocks(samples.count(), kStride, threads, [&](std::size_t first, std::size_t end, int worker) {
        Scratch& scratch = workers[static_cast<std::size_t>(worker)];
        for (std::size_t k = first; k < end; ++k) {
            if (samples.items.empty() || samples.items[k] != scratch.item) {
                scratch.grams.clear();
                scratch.others.clear();
                if (!samples.items.empty()) {
                    scratch.item = samples.items[k];
                    for (std::size_t r = items_[scratch.item]; r < items_[scratch.item + 1]; ++r)
                        scratch.grams.add_reference(fitted(r));
                } else {
                    for (auto r = samples.bounds[k]; r < samples.bounds[k + 1]; ++r)
                        scratch.grams.add_reference(
                            words(scratch, samples.references[static_cast<std::size_t>(r)]));
                }
                begin(scratch, k);
            }
            for (std::size_t s = k * samples.each; s < (k + 1) * samples.each; ++s)
                score(scratch, words(scratch, samples.texts[s]), s);
        }
    });
}

void FittedReferences::bleu(const Samples& samples, int threads, std::span<double> rows) const {
    each_sample(
        samples, threads, [](Scratch&, std::size_t) {},
        [&](Scratch& scratch, std::span<const std::uint32_t> words, std::size_t s) {
            ItemGrams& grams = scratch.grams;
            grams.count<false>(words);
            const BleuRow row = bleu_row(rows, s);
            for (int order = 1; order <= kOrders; ++order) {
                std::uint64_t matched = 0;
                for (const std::uint32_t number : grams.counted(order)) {
                    const ItemGrams::Node& node = grams.node(number);
                    std::uint32_t most = 0;
                    grams.each_use(node, [&](const auto& use) { most = std::max(most, use.count); });
                    matched += std::min(node.count, most);
                }
                row[static_cast<std::size_t>(order) - 1] = static_cast<double>(matched);
            }
            const auto length = static_cast<std::uint32_t>(words.size());
            std::optional<std::uint32_t> closest;
            for (std::size_t r = 0; r < grams.references(); ++r)
                if (!closest || closer(grams.length(r), *closest, length)) closest = grams.length(r);
            fill_lengths(row, length, closest.value_or(0));
        });
}

FittedCider::FittedCider(std::span<const std::string_view> lines, std::span<const std::int64_t> bounds,
                         double sigma)
    : FittedReferences(lines, bounds), sigma_(sigma) {
    for (std::size_t d = 0; d < 64; ++d) penalties_.push_back(penalty(d));
    count_items();
    const double log_items = items() > 0 ? std::log(static_cast<double>(items())) : 0.0;
    for (std::size_t f = 0; f <= items(); ++f)
        weights_.push_back(log_items - std::log(std::max(1.0, static_cast<double>(f))));
    Scratch scratch;
    for (std::size_t item = 0; item < items(); ++item) {
        scratch.grams.clear();
        for (std::size_t r = items_[item]; r < items_[item + 1]; ++r)
            norms_.push_back(norms(scratch, fitted(r)));
    }
}

std::size_t FittedCider::first_place(std::uint64_t key) const {
    std::uint64_t h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    h ^= h >> 32;
    return h & (known_.size() - 1);
}

std::size_t FittedCider::place(std::uint64_t key) const {
    const std::size_t mask = known_.size() - 1;
    std::size_t i = first_place(key);
    while (known_[i].id != ItemGrams::kNone && known_[i].key != key) i = (i + 1) & mask;
    return i;
}

std::uint64_t FittedCider::key(ItemGrams& grams, const ItemGrams::Node& node) {
    const std::uint32_t prefix =
        node.prefix == ItemGrams::kNone ? ItemGrams::kNone : grams.node(node.prefix).id;
    return static_cast<std::uint64_t>(prefix) << 32 | node.word;
}

void FittedCider::count_items() {
    ItemGrams grams;
    for (std::size_t item = 0; item < items(); ++item) {
        grams.clear();
        for (std::size_t r = items_[item]; r < items_[item + 1]; ++r) grams.add_reference(fitted(r));
        for (std::uint32_t n = 0; n < grams.size(); ++n) {  // an n-gram comes after the one that it extends
            ItemGrams::Node& node = grams.node(n);
            Known& known = known_[added(key(grams, node))];
            node.id = known.id;
            ++known.frequency;
        }
    }
}

std::size_t FittedCider::added(std::uint64_t key) {
    std::size_t at = place(key);
    if (known_[at].id != ItemGrams::kNone) return at;
    if (size_ + 1 >= ItemGrams::kNone) throw std::length_error("more than 4,294,967,294 distinct n-grams");
    if ((size_ + 1) * 2 > known_.size()) {
        std::vector<Known> old(known_.size() * 2);
        old.swap(known_);
        for (const Known& known : old)
            if (known.id != ItemGrams::kNone) known_[place(known.key)] = known;
        at = place(key);
    }
    known_[at] = {key, static_cast<std::uint32_t>(size_++), 0};
    return at;
}

void FittedCider::weigh(ItemGrams& grams, int order) const {
    // What extends an unknown n-gram, or by a word that the corpus does not have, is unknown as well.
    const auto possible = [&](const ItemGrams::Node& node) {
        return node.word < table_.size() &&
               (node.prefix == ItemGrams::kNone || grams.node(node.prefix).id != ItemGrams::kNone);
    };
    for (const std::uint32_t number : grams.counted(order)) {  // fetch from memory side by side
        const ItemGrams::Node& node = grams.node(number);
        if (!node.known && possible(node)) prefetch(&known_[first_place(key(grams, node))]);
    }
    for (const std::uint32_t number : grams.counted(order)) {
        ItemGrams::Node& node = grams.node(number);
        if (node.known) continue;
        node.known = true;
        node.weight = weights_[0];
        if (!possible(node)) continue;
        const Known& known = known_[place(key(grams, node))];
        node.id = known.id;
        node.weight = weights_[known.frequency];
    }
}

double FittedCider::norm(ItemGrams& grams, int order, std::vector<double>& squares) {
    squares.clear();
    for (const std::uint32_t number : grams.counted(order)) {
        const double weight = grams.node(number).count * grams.node(number).weight;
        squares.push_back(weight * weight);
    }
    return std::sqrt(ordered_sum(squares));
}

FittedCider::Norms FittedCider::norms(Scratch& scratch, std::span<const std::uint32_t> words) const {
    Norms out{};
    scratch.grams.count<true>(words);
    for (int order = 1; order <= kOrders; ++order) {
        weigh(scratch.grams, order);
        out[static_cast<std::size_t>(order) - 1] = norm(scratch.grams, order, scratch.values);
    }
    return out;
}

double FittedCider::penalty(std::size_t difference) const {
    if (difference < penalties_.size()) return penalties_[difference];
    const auto d = static_cast<double>(difference);
    return std::exp(-(d * d) / (2.0 * sigma_ * sigma_));
}

double FittedCider::sample(Scratch& scratch, std::span<const std::uint32_t> words) const {
    ItemGrams& grams = scratch.grams;
    const std::size_t references = grams.references();
    if (references == 0) return 0.0;
    grams.count<true>(words);
    scratch.terms.resize(std::max(scratch.terms.size(), references));
    std::vector<double>& similarity = scratch.similarity;
    similarity.assign(references, 0.0);
    for (int order = 1; order <= kOrders; ++order) {
        weigh(grams, order);
        bool common = false;
        for (const std::uint32_t number : grams.counted(order)) {
            const ItemGrams::Node& node = grams.node(number);
            const double ours = node.count * node.weight;
            grams.each_use(node, [&](const auto& use) {
                const double theirs = use.count * node.weight;
                scratch.terms[use.reference].push_back(std::min(ours, theirs) * theirs);
                common = true;
            });
        }
        if (!common) break;  // no common n-gram: none of a higher order either
        const auto n = static_cast<std::size_t>(order) - 1;
        const double own = norm(grams, order, scratch.values);
        for (std::size_t r = 0; r < references; ++r) {
            if (scratch.terms[r].empty()) continue;
            const double scale = own * scratch.norms[r][n];
            if (scale > 0.0) similarity[r] += ordered_sum(scratch.terms[r]) / scale;
            scratch.terms[r].clear();
        }
    }
    for (std::size_t r = 0; r < references; ++r) {
        const std::size_t length = grams.length(r);
        similarity[r] *= penalty(length > words.size() ? length - words.size() : words.size() - length);
        similarity[r] /= kOrders;
    }
    return 10.0 * ordered_sum(similarity) / static_cast<double>(references);
}

void FittedCider::score(const Samples& samples, int threads, std::span<double> out) const {
    each_sample(
        samples, threads,
        [&](Scratch& scratch, std::size_t k) {
            scratch.norms.clear();
            if (!samples.items.empty()) {
                const auto first = norms_.begin() + static_cast<std::ptrdiff_t>(items_[samples.items[k]]);
                scratch.norms.assign(first, first + static_cast<std::ptrdiff_t>(scratch.grams.references()));
                return;
            }
            for (auto r = samples.bounds[k]; r < samples.bounds[k + 1]; ++r)
                scratch.norms.push_back(
                    norms(scratch, words(scratch, samples.references[static_cast<std::size_t>(r)])));
        },
        [&](Scratch& scratch, std::span<const std::uint32_t> words, std::size_t s) {
            out[s] = sample(scratch, words);
        });
}

}  // namespace storymeter
