#include "bound.hpp"

#include <array>
#include <cmath>
#include <numeric>

#include "analysed.hpp"
#include "common/pair_index.hpp"
#include "groups.hpp"

namespace storymeter::meteor {
namespace {

constexpr std::uint32_t kMost = 64;

std::uint64_t span_mask(std::uint32_t start, std::uint32_t length) {
    return (length >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << length) - 1) << start;
}

// Numbers 0, 1, 2, ... for keys in the order of their first appearance.
class Numbers {
  public:
    std::uint32_t add(std::uint64_t key) {
        std::int64_t number;
        index_.add({&key, 1}, {&number, 1});
        return static_cast<std::uint32_t>(number);
    }
    std::size_t size() const { return index_.keys().size(); }

  private:
    PairIndex index_;
};

// A phrase of a sentence: its node's number and which words it covers.
struct Covered {
    std::uint32_t node;
    std::uint64_t words;
};

// A sentence as numbers of words and phrases.
struct Reduced {
    bool fits = false;
    std::vector<std::uint32_t> words;
    std::vector<Covered> phrases;
    std::uint64_t function = 0, all = 0;
    double length = 0.0;  // weighted by delta
};

// The words and phrases of one side, each distinct one once.
struct Inventory {
    struct Entry {
        std::uint32_t hash, stem;
        SynsetSet synsets;
    };
    Numbers by_word, by_node;
    std::vector<Entry> words;
    std::vector<Occurrence> nodes;

    Reduced reduce(const Sentence& sentence, double delta) {
        Reduced out;
        if (sentence.size() > kMost) return out;
        out.fits = true;
        out.all = sentence.size() ? span_mask(0, sentence.size()) : 0;
        for (std::uint32_t k = 0; k < sentence.size(); ++k) {
            // equal hashes are equal words to METEOR; should their stems differ, they are two words here
            const std::uint32_t number =
                by_word.add(std::uint64_t{sentence.hashes[k]} << 32 |
                            (sentence.stems[k] ^ (sentence.synsets[k].offset * 0x9E3779B1u)));
            if (number == words.size())
                words.push_back({sentence.hashes[k], sentence.stems[k], sentence.synsets[k]});
            out.words.push_back(number);
            if (sentence.function[k]) out.function |= std::uint64_t{1} << k;
        }
        for (const Occurrence& o : sentence.occurrences) {
            const std::uint32_t number = by_node.add(o.node);
            if (number == nodes.size()) nodes.push_back(o);
            out.phrases.push_back({number, span_mask(o.start, o.length)});
        }
        const double function = sentence.function_words;
        out.length = delta * (sentence.size() - function) + (1.0 - delta) * function;
        return out;
    }
};

struct Near {
    std::uint32_t word;
    bool equal;
};

// For each word of the references the words of the tests that it can be matched with, and likewise for
// phrases.
struct Relations {
    std::vector<std::vector<Near>> words;
    std::vector<std::vector<std::uint32_t>> phrases;

    Relations(const Tables& tables, const Inventory& tests, const Inventory& refs, int threads)
        : words(refs.words.size()), phrases(refs.nodes.size()) {
        Groups hashes, stems, synsets;
        std::vector<std::uint32_t> owner;  // of each member of a synset
        hashes.clear(tests.words.size());
        stems.clear(tests.words.size());
        synsets.clear(4 * tests.words.size());
        for (std::uint32_t k = 0; k < tests.words.size(); ++k) {
            const Inventory::Entry& word = tests.words[k];
            hashes.add(word.hash);
            stems.add(word.stem);
            for (std::uint32_t m = 0; m < word.synsets.count; ++m) {
                synsets.add(tables.at(word.synsets.offset)[m]);
                owner.push_back(k);
            }
        }
        parallel_blocks(words.size(), 64, threads, [&](std::size_t begin, std::size_t end, int) {
            for (std::size_t k = begin; k < end; ++k) {
                const Inventory::Entry& word = refs.words[k];
                hashes.each(word.hash, [&](std::uint32_t t) { words[k].push_back({t, true}); });
                stems.each(word.stem, [&](std::uint32_t t) { words[k].push_back({t, false}); });
                for (std::uint32_t m = 0; m < word.synsets.count; ++m)
                    synsets.each(tables.at(word.synsets.offset)[m],
                                 [&](std::uint32_t t) { words[k].push_back({owner[t], false}); });
            }
        });
        relate_phrases(tables, tests.nodes, refs.nodes);
    }

  private:
    // A paraphrase counts whichever of the two lists it.
    void relate_phrases(const Tables& tables, const std::vector<Occurrence>& tests,
                        const std::vector<Occurrence>& refs) {
        const auto listed = [&](const std::vector<Occurrence>& from, const std::vector<Occurrence>& to,
                                auto&& found) {
            Groups nodes;
            nodes.clear(to.size());
            for (const Occurrence& o : to) nodes.add(o.node);
            for (std::uint32_t k = 0; k < from.size(); ++k) {
                const std::uint32_t* const list = tables.at(from[k].list);
                for (std::uint32_t m = 0; m < from[k].count; ++m)
                    nodes.each(list[m], [&](std::uint32_t other) { found(k, other); });
            }
        };
        listed(refs, tests, [&](std::uint32_t r, std::uint32_t t) { phrases[r].push_back(t); });
        listed(tests, refs, [&](std::uint32_t t, std::uint32_t r) { phrases[r].push_back(t); });
    }
};

// One thread's work: what the words and phrases of the tests can be matched with in the reference at hand.
class Bounder {
  public:
    Bounder(const Relations& relations, std::size_t words, std::size_t nodes, const Parameters& p)
        : relations_(relations),
          p_(p),
          other_(std::max({p.weights[1], p.weights[2], p.weights[3]})),
          equal_(std::max(p.weights[0], other_)),
          words_(words),
          phrases_(nodes) {
        for (std::size_t matched = 1; matched < factor_.size(); ++matched)
            factor_[matched] = 1.0 - p.gamma * std::pow(2.0 / static_cast<double>(matched), p.beta);
    }

    void against(const Reduced& ref) {
        for (const std::uint32_t word : touched_words_) words_[word] = {};
        for (const std::uint32_t node : touched_phrases_) phrases_[node] = 0;
        touched_words_.clear();
        touched_phrases_.clear();
        ref_ = &ref;
        for (std::size_t j = 0; j < ref.words.size(); ++j) {
            for (const Near& near : relations_.words[ref.words[j]]) {
                (near.equal ? words_[near.word].equal : words_[near.word].other) |= std::uint64_t{1} << j;
                touched_words_.push_back(near.word);
            }
        }
        for (const Covered& phrase : ref.phrases) {
            for (const std::uint32_t node : relations_.phrases[phrase.node]) {
                phrases_[node] |= phrase.words;
                touched_phrases_.push_back(node);
            }
        }
    }

    double bound(const Reduced& test) const {
        Places here, there;  // in the test, in the reference
        for (std::size_t i = 0; i < test.words.size(); ++i) {
            const Places& found = words_[test.words[i]];
            here.equal |= std::uint64_t{found.equal != 0} << i;
            here.other |= std::uint64_t{found.other != 0} << i;
            there.equal |= found.equal;
            there.other |= found.other;
        }
        for (const Covered& phrase : test.phrases) {
            if (const std::uint64_t found = phrases_[phrase.node]) {
                here.other |= phrase.words;
                there.other |= found;
            }
        }
        const std::uint64_t ours = here.equal | here.other, theirs = there.equal | there.other;
        if (ours == 0 || theirs == 0) return 0.0;
        const double precision = weight(here, test.function) / test.length,
                     recall = weight(there, ref_->function) / ref_->length;
        const double f_mean = 1.0 / ((1.0 - p_.alpha) / precision + p_.alpha / recall);
        const bool all = ours == test.all && theirs == ref_->all;
        const double factor =
            all ? 1.0 : factor_[static_cast<std::size_t>(std::popcount(ours) + std::popcount(theirs))];
        return std::max(0.0, f_mean * factor * (1.0 + 1e-12));
    }

  private:
    struct Places {
        std::uint64_t equal = 0, other = 0;
    };

    double weight(const Places& places, std::uint64_t function) const {
        const std::uint64_t other = places.other & ~places.equal;
        const auto sum = [&](std::uint64_t mask) {
            return equal_ * std::popcount(places.equal & mask) + other_ * std::popcount(other & mask);
        };
        return p_.delta * sum(~function) + (1.0 - p_.delta) * sum(function);
    }

    const Relations& relations_;
    const Parameters& p_;
    double other_, equal_;
    const Reduced* ref_ = nullptr;
    std::vector<Places> words_;
    std::vector<std::uint64_t> phrases_;
    std::vector<std::uint32_t> touched_words_, touched_phrases_;
    std::array<double, 2 * kMost + 1> factor_{};  // by the matched words of both sides
};

}  // namespace

void bounds(LexiconPool& pool, std::span<const std::string_view> candidates,
            std::span<const std::string_view> references, std::span<const std::int64_t> candidate_index,
            std::span<const std::int64_t> reference_index, const Options& options, std::span<double> out) {
    const Tables& tables = pool.tables();
    const Analysed sentences(pool, candidates, references, options.normalize, options.threads);
    Inventory our_words, their_words;
    std::vector<Reduced> tests, refs;
    for (const Sentences& test : sentences.tests)
        tests.push_back(our_words.reduce(*test.first, options.parameters.delta));
    for (const Sentences& ref : sentences.refs)
        refs.push_back(ref.more.empty() ? their_words.reduce(*ref.first, options.parameters.delta)
                                        : Reduced{});
    const Relations relations(tables, our_words, their_words, options.threads);
    std::vector<std::uint8_t> related(our_words.nodes.size(), 0);
    for (const auto& nodes : relations.phrases) {
        for (const std::uint32_t node : nodes) related[node] = 1;
    }
    for (Reduced& test : tests)
        std::erase_if(test.phrases, [&](const Covered& phrase) { return !related[phrase.node]; });

    // pairs by reference: a counting sort
    std::vector<std::size_t> begin(refs.size() + 1, 0), order(out.size());
    for (const std::int64_t k : reference_index) ++begin[sentences.ref(k) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    {
        std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
        for (std::size_t k = 0; k < out.size(); ++k) order[next[sentences.ref(reference_index[k])]++] = k;
    }
    PerWorker<Bounder> bounders(options.threads);
    parallel_blocks(refs.size(), 16, options.threads, [&](std::size_t first, std::size_t last, int worker) {
        Bounder& bounder = bounders.get(worker, relations, our_words.words.size(), our_words.nodes.size(),
                                        options.parameters);
        for (std::size_t r = first; r < last; ++r) {
            if (refs[r].fits && begin[r] < begin[r + 1]) bounder.against(refs[r]);
            for (std::size_t at = begin[r]; at < begin[r + 1]; ++at) {
                const Reduced& test = tests[sentences.test(candidate_index[order[at]])];
                out[order[at]] = refs[r].fits && test.fits ? bounder.bound(test) : 1.0;
            }
        }
    });
}

}  // namespace storymeter::meteor
