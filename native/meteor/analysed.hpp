// The sentences of a batch: each distinct text analysed once, on several threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "input.hpp"
#include "sentence.hpp"

namespace storymeter::meteor {

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
            while (slots[k].text != free && (slots[k].hash != hash || texts[slots[k].text] != text))
                k = (k + 1) & mask;
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

    void add(Sentence&& one) {
        if (!first) {
            first.emplace(std::move(one));
        } else {
            more.push_back(std::move(one));
        }
    }
    std::size_t count() const { return 1 + more.size(); }
    std::size_t words() const {
        std::size_t sum = first->size();
        for (const Sentence& one : more) sum += one.size();
        return sum;
    }
    void append_to(std::vector<const Sentence*>& all) const {
        all.push_back(&*first);
        for (const Sentence& one : more) all.push_back(&one);
    }
};

// Both sides of a batch, as on the original's way in: `|||` is taken out of a candidate and double blanks
// become single ones, once from left to right; `|||` cuts a reference into several.
class Analysed {
  public:
    Analysed(LexiconPool& pool, std::span<const std::string_view> candidates,
             std::span<const std::string_view> references, bool normalize, int threads)
        : analysers_(threads), c_(candidates), r_(references), tests(c_.texts.size()), refs(r_.texts.size()) {
        parallel_blocks(tests.size() + refs.size(), block(tests.size() + refs.size(), threads), threads,
                        [&](std::size_t begin, std::size_t end, int worker) {
                            Analyser& analyser = analysers_.get(worker, pool, normalize);
                            std::string buffer;
                            for (std::size_t k = begin; k < end; ++k) {
                                if (k < tests.size()) {
                                    tests[k].add(analyser.analyse(clean_candidate(c_.texts[k], buffer)));
                                } else {
                                    each_reference(r_.texts[k - tests.size()], [&](std::string_view part) {
                                        refs[k - tests.size()].add(analyser.analyse(part));
                                    });
                                }
                            }
                        });
    }

    // The number of a text of the lists among the distinct ones.
    std::uint32_t test(std::int64_t listed) const { return c_.which[static_cast<std::size_t>(listed)]; }
    std::uint32_t ref(std::int64_t listed) const { return r_.which[static_cast<std::size_t>(listed)]; }

  private:
    // Small enough for all threads to have a share.
    static std::size_t block(std::size_t count, int threads) {
        return std::min<std::size_t>(32, count / (8 * static_cast<std::size_t>(std::max(threads, 1))));
    }

    PerWorker<Analyser> analysers_;  // the sentences lie in their memory
    Distinct c_, r_;

  public:
    std::vector<Sentences> tests, refs;
};

}  // namespace storymeter::meteor
