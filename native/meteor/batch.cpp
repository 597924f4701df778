#include "batch.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
        which.reserve(all.size());
        struct Slot {
            std::size_t hash;
            std::uint32_t text;
        };
        constexpr std::uint32_t free = ~std::uint32_t{0};
        std::vector<Slot> slots(std::bit_ceil(2 * all.size() + 2), Slot{0, free});
        const std::size_t mask = slots.size() - 1;
        for (const std::string_view text : all) {
            const std::size_t hash = std::hash<std::string_view>()(text);
            std::size_t k = hash & mask;
            while (slots[k].text != free && (slots[k].hash != hash || texts[slots[k].text] != text)) k = (k + 1) & mask;
            if (slots[k].text == free) {
                slots[k] = {hash, static_cast<std::uint32_t>(texts.size())};
                texts.push_back(text);
            }
            which.push_back(slots[k].text);
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
struct Sentences {
    std::optional<Sentence> first;  // there as soon as it is analysed
    std::vector<Sentence> more;
};

bool double_blank(std::string_view text) {
    bool found = false;
    for (std::size_t k = 1; k < text.size(); ++k) found |= (text[k - 1] == ' ') & (text[k] == ' ');  // no way out: vectors are faster
    return found;
}

void analyse_candidate(std::string_view text, Analyser& analyser, Sentences& out) {
    if (text.find("|||") == text.npos && !double_blank(text)) {
        out.first.emplace(analyser.analyse(text));
    } else {
        out.first.emplace(analyser.analyse(without(without(text, "|||", ""), "  ", " ")));
    }
}

void analyse_reference(std::string_view text, Analyser& analyser, Sentences& out) {
    std::size_t at = text.find("|||");
    out.first.emplace(analyser.analyse(text.substr(0, at)));
    while (at != text.npos) {
        text.remove_prefix(at + 3);
        at = text.find("|||");
        out.more.push_back(analyser.analyse(text.substr(0, at)));
    }
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
    PerWorker<Analyser> analysers(options.threads);  // the sentences lie in their memory
    std::vector<Sentences> tests(c.texts.size()), refs(r.texts.size());
    parallel_blocks(tests.size() + refs.size(), 8, options.threads, [&](std::size_t begin, std::size_t end, int worker) {
        Analyser& analyser = analysers.get(worker, tables, options.normalize);
        for (std::size_t k = begin; k < end; ++k) {
            if (k < tests.size()) {
                analyse_candidate(c.texts[k], analyser, tests[k]);
            } else {
                analyse_reference(r.texts[k - tests.size()], analyser, refs[k - tests.size()]);
            }
        }
    });

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
    parallel_blocks(pairs.size(), 32, options.threads, [&](std::size_t begin, std::size_t end, int worker) {
        Aligner& aligner = aligners.get(worker, tables);
        for (std::size_t k = begin; k < end; ++k) {
            const Sentence& test = *tests[pairs[k] >> 32].first;
            const Sentences& group = refs[pairs[k] & 0xFFFFFFFF];
            if (k + 1 < end && pairs[k + 1] >> 32 != pairs[k] >> 32) {  // in a block of all against all, they are near already
                aligner.prefetch(*tests[pairs[k + 1] >> 32].first);
                aligner.prefetch(*refs[pairs[k + 1] & 0xFFFFFFFF].first);
            }
            double best = -1.0;
            const auto against = [&](const Sentence& ref) {
                const Statistics s = statistics(test, ref, aligner.align(test, ref, options.beam));
                const double value = score(s, options.parameters);
                if (value <= best) return;
                best = value;
                if (!pair_stats.empty()) pair_stats[k] = s;
            };
            against(*group.first);
            for (const Sentence& ref : group.more) against(ref);
            if (!pair_scores.empty()) pair_scores[k] = best;
        }
    });
    for (std::size_t k = 0; k < which.size(); ++k) {
        if (!scores.empty()) scores[k] = pair_scores[which[k]];
        if (!stats.empty()) stats[k] = pair_stats[which[k]];
    }
}

}  // namespace storymeter::meteor
