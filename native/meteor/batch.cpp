#include "batch.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "../parallel.hpp"
#include "align.hpp"

namespace storymeter::meteor {
namespace {

std::string without(std::string_view text, std::string_view what, std::string_view with) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(what, from)) != std::string_view::npos; from = at + what.size()) {
        out.append(text.substr(from, at - from)).append(with);
    }
    return out.append(text.substr(from));
}

// Distinct texts and where each text of the list is among them.
struct Distinct {
    std::vector<std::string_view> texts;
    std::vector<std::uint32_t> which;

    explicit Distinct(std::span<const std::string_view> all) {
        std::unordered_map<std::string_view, std::uint32_t> seen;
        seen.reserve(all.size());
        which.reserve(all.size());
        for (const std::string_view text : all) {
            const auto [place, is_new] = seen.try_emplace(text, static_cast<std::uint32_t>(texts.size()));
            if (is_new) texts.push_back(text);
            which.push_back(place->second);
        }
    }
};

// What each worker keeps from block to block.
template <typename Tool>
class PerWorker {
public:
    explicit PerWorker(int threads) : tools_(static_cast<std::size_t>(std::max(threads, 1))) {}
    template <typename... Arguments>
    Tool& get(int worker, Arguments&&... arguments) {
        auto& tool = tools_[static_cast<std::size_t>(worker)];
        if (!tool) tool = std::make_unique<Tool>(std::forward<Arguments>(arguments)...);
        return *tool;
    }

private:
    std::vector<std::unique_ptr<Tool>> tools_;
};

// A candidate is one sentence; a reference with `|||` in it is several.
using Sentences = std::vector<std::vector<Sentence>>;

Sentences analyse(const Tables& tables, const std::vector<std::string_view>& texts, bool candidates, const Options& options) {
    Sentences out(texts.size());
    PerWorker<Analyser> analysers(options.threads);
    parallel_blocks(texts.size(), 64, options.threads, [&](std::size_t begin, std::size_t end, int worker) {
        Analyser& analyser = analysers.get(worker, tables, options.normalize);
        for (std::size_t k = begin; k < end; ++k) {
            std::string_view text = texts[k];
            if (candidates) {
                std::string cleaned;
                if (text.find("|||") != text.npos || text.find("  ") != text.npos) {
                    cleaned = without(without(text, "|||", ""), "  ", " ");
                    text = cleaned;
                }
                out[k].push_back(analyser.analyse(text));
                continue;
            }
            for (std::size_t at; (at = text.find("|||")) != text.npos; text.remove_prefix(at + 3)) out[k].push_back(analyser.analyse(text.substr(0, at)));
            out[k].push_back(analyser.analyse(text));
        }
    });
    return out;
}

// Numbers for 64-bit keys in the order they come; the keys are never ~0.
class Numbering {
public:
    explicit Numbering(std::size_t most) : slots_(std::bit_ceil(2 * most + 2), {~std::uint64_t{0}, 0}) {}

    std::uint32_t operator()(std::uint64_t key) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t k = (key * 0x9E3779B97F4A7C15 >> 20) & mask;
        while (slots_[k].first != key && slots_[k].first != ~std::uint64_t{0}) k = (k + 1) & mask;
        if (slots_[k].first != key) {
            slots_[k] = {key, static_cast<std::uint32_t>(keys.size())};
            keys.push_back(key);
        }
        return slots_[k].second;
    }

    std::vector<std::uint64_t> keys;

private:
    std::vector<std::pair<std::uint64_t, std::uint32_t>> slots_;
};

}  // namespace

void compare(const Tables& tables, std::span<const std::string_view> candidates, std::span<const std::string_view> references,
             std::span<const std::int64_t> candidate_index, std::span<const std::int64_t> reference_index, const Options& options,
             std::span<double> scores, std::span<Statistics> stats) {
    const Distinct c(candidates), r(references);
    const Sentences tests = analyse(tables, c.texts, true, options), refs = analyse(tables, r.texts, false, options);

    Numbering distinct(candidate_index.size());
    std::vector<std::uint32_t> which(candidate_index.size());
    for (std::size_t k = 0; k < which.size(); ++k) {
        const std::uint64_t candidate = c.which[static_cast<std::size_t>(candidate_index[k])];
        which[k] = distinct(candidate << 32 | r.which[static_cast<std::size_t>(reference_index[k])]);
    }
    const std::vector<std::uint64_t>& pairs = distinct.keys;

    std::vector<double> pair_scores(scores.empty() ? 0 : pairs.size());
    std::vector<Statistics> pair_stats(stats.empty() ? 0 : pairs.size());
    PerWorker<Aligner> aligners(options.threads);
    parallel_blocks(pairs.size(), 128, options.threads, [&](std::size_t begin, std::size_t end, int worker) {
        Aligner& aligner = aligners.get(worker, tables);
        for (std::size_t k = begin; k < end; ++k) {
            const Sentence& test = tests[pairs[k] >> 32][0];
            double best = -1.0;
            for (const Sentence& ref : refs[pairs[k] & 0xFFFFFFFF]) {
                const Statistics s = statistics(test, ref, aligner.align(test, ref, options.beam));
                const double value = score(s, options.parameters);
                if (value <= best) continue;
                best = value;
                if (!pair_stats.empty()) pair_stats[k] = s;
            }
            if (!pair_scores.empty()) pair_scores[k] = best;
        }
    });
    for (std::size_t k = 0; k < which.size(); ++k) {
        if (!scores.empty()) scores[k] = pair_scores[which[k]];
        if (!stats.empty()) stats[k] = pair_stats[which[k]];
    }
}

}  // namespace storymeter::meteor
