#include "batch.hpp"

#include <algorithm>

#include "align.hpp"
#include "analysed.hpp"
#include "common/pair_index.hpp"

namespace storymeter::meteor {
namespace {

// Pairs by number, candidate in the upper half of the key, reference in the lower.
struct Pairs {
    std::vector<std::uint64_t> keys;
    std::size_t candidate(std::size_t k) const { return keys[k] >> 32; }
    std::size_t reference(std::size_t k) const { return keys[k] & 0xFFFFFFFF; }
};

// Consecutive pairs of one candidate: its references are a crowd that other candidates may meet as well.
struct Run {
    std::size_t begin, end;
};

std::vector<Run> runs(const Pairs& pairs, const std::vector<Sentences>& refs) {
    constexpr std::size_t most_references = 64, most_words = 4096;
    std::vector<Run> out;
    for (std::size_t k = 0, words = 0; k < pairs.keys.size(); ++k) {
        const std::size_t size = refs[pairs.reference(k)].words();
        words += size;
        if (k == 0 || pairs.candidate(k) != pairs.candidate(k - 1) ||
            k - out.back().begin == most_references || words > most_words) {
            out.push_back({k, k});
            words = size;
        }
        out.back().end = k + 1;
    }
    // the same references one after the other, so that they are indexed once
    std::stable_sort(out.begin(), out.end(), [&](const Run& a, const Run& b) {
        return pairs.reference(a.begin) < pairs.reference(b.begin);
    });
    return out;
}

// Consecutive runs that meet the same references: work for one thread. A thread keeps its index of the
// references from task to task, so that tasks may be small enough to share well.
struct Task {
    std::size_t begin, end;
    bool many;  // whether enough runs meet these references for an index of them
};

std::vector<Task> tasks(const std::vector<Run>& runs, const Pairs& pairs, int threads) {
    const std::size_t most =
        threads <= 1 ? runs.size()
                     : std::max<std::size_t>(2, runs.size() / (8 * static_cast<std::size_t>(threads)));
    const auto references = [&](const Run& run) {
        return std::span(pairs.keys).subspan(run.begin, run.end - run.begin);
    };
    const auto same = [](std::uint64_t a, std::uint64_t b) {
        return static_cast<std::uint32_t>(a) == static_cast<std::uint32_t>(b);
    };
    std::vector<Task> out;
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
        do {
            ++end;
        } while (end < runs.size() &&
                 std::ranges::equal(references(runs[end - 1]), references(runs[end]), same));
        for (std::size_t at = begin; at < end; at += most)
            out.push_back({at, std::min(at + most, end), end - begin >= 4});
    }
    return out;
}

SmallStatistics additive(const Statistics& row) {
    SmallStatistics out;
    std::transform(row.begin(), row.end(), out.begin(),
                   [](std::int64_t count) { return static_cast<std::uint16_t>(count); });
    if (perfect(row)) out[20] = 0;
    return out;
}

// One thread's comparisons.
class Worker {
  public:
    Worker(const Tables& tables, const Pairs& pairs, const std::vector<Sentences>& refs,
           const Options& options)
        : pairs_(pairs), refs_(refs), parameters_(options.parameters), aligner_(tables, options.beam) {}

    // found(k, score, statistics): against the first best part of the reference of pair k
    template <typename Found>
    void compare(const Sentence& test, Run run, bool many_tests, Found&& found) {
        const auto reference = [&](std::uint64_t key) { return key & 0xFFFFFFFF; };
        const auto begin = pairs_.keys.begin() + static_cast<std::ptrdiff_t>(run.begin),
                   end = pairs_.keys.begin() + static_cast<std::ptrdiff_t>(run.end);
        if (!std::equal(begin, end, crowd_.begin(), crowd_.end(),
                        [&](std::uint64_t a, std::uint64_t b) { return reference(a) == reference(b); })) {
            crowd_.assign(begin, end);
            sentences_.clear();
            for (const std::uint64_t key : crowd_) refs_[reference(key)].append_to(sentences_);
            aligner_.against(sentences_, many_tests);
        }
        aligner_.meet(test);
        for (std::size_t k = run.begin, ref = 0; k < run.end; ++k) {
            double best = -1.0;
            Statistics best_row{};
            for (const std::size_t last = ref + refs_[pairs_.reference(k)].count(); ref < last; ++ref) {
                const Statistics row = statistics(test, *sentences_[ref], aligner_.align(ref));
                const double value = score(row, parameters_);
                if (value <= best) continue;
                best = value;
                best_row = row;
            }
            found(k, best, best_row);
        }
    }

  private:
    const Pairs& pairs_;
    const std::vector<Sentences>& refs_;
    const Parameters& parameters_;
    Aligner aligner_;
    std::vector<std::uint64_t> crowd_;
    std::vector<const Sentence*> sentences_;
};

}  // namespace

void compare(LexiconPool& pool, std::span<const std::string_view> candidates,
             std::span<const std::string_view> references, std::span<const std::int64_t> candidate_index,
             std::span<const std::int64_t> reference_index, const Options& options, std::span<double> scores,
             std::span<Statistics> stats, std::span<SmallStatistics> small) {
    const Tables& tables = pool.tables();
    const Analysed sentences(pool, candidates, references, options.normalize, options.threads);
    const std::vector<Sentences>&tests = sentences.tests, &refs = sentences.refs;

    Pairs pairs;
    std::vector<std::int64_t> which(candidate_index.size());
    {
        std::vector<std::uint64_t> keys(which.size());
        for (std::size_t k = 0; k < keys.size(); ++k) {
            keys[k] =
                std::uint64_t{sentences.test(candidate_index[k])} << 32 | sentences.ref(reference_index[k]);
        }
        PairIndex distinct;
        distinct.add(keys, which);
        pairs.keys = distinct.keys();
    }

    std::vector<double> pair_scores(scores.empty() ? 0 : pairs.keys.size());
    std::vector<Statistics> pair_stats(stats.empty() ? 0 : pairs.keys.size());
    std::vector<SmallStatistics> pair_small(small.empty() ? 0 : pairs.keys.size());
    PerWorker<Worker> workers(options.threads);
    const std::vector<Run> todo = runs(pairs, refs);
    const std::vector<Task> work = tasks(todo, pairs, options.threads);
    const std::size_t block = 1 + 32 * work.size() / (pairs.keys.size() + 1);
    const auto found = [&](std::size_t k, double value, const Statistics& row) {
        if (!pair_scores.empty()) pair_scores[k] = value;
        if (!pair_stats.empty()) pair_stats[k] = row;
        if (!pair_small.empty()) pair_small[k] = additive(row);
    };
    parallel_blocks(work.size(), block, options.threads, [&](std::size_t begin, std::size_t end, int number) {
        Worker& worker = workers.get(number, tables, pairs, refs, options);
        for (std::size_t t = begin; t < end; ++t) {
            for (std::size_t n = work[t].begin; n < work[t].end; ++n) {
                worker.compare(*tests[pairs.candidate(todo[n].begin)].first, todo[n], work[t].many, found);
            }
        }
    });
    for (std::size_t k = 0; k < which.size(); ++k) {
        if (!scores.empty()) scores[k] = pair_scores[static_cast<std::size_t>(which[k])];
        if (!stats.empty()) stats[k] = pair_stats[static_cast<std::size_t>(which[k])];
        if (!small.empty()) small[k] = pair_small[static_cast<std::size_t>(which[k])];
    }
}

}  // namespace storymeter::meteor
