// Hostile text through METEOR, with a made-up table; the aligner against a textbook version; damaged tables
// and data files.
//   fuzz_meteor [inputs] [seed]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "meteor/align.hpp"
#include "meteor/batch.hpp"
#include "meteor/compile.hpp"

using namespace storymeter::meteor;

namespace {

std::mt19937_64 generator;

std::size_t below(std::size_t n) { return n == 0 ? 0 : generator() % n; }

[[noreturn]] void fail(const char* what, const std::string& a, const std::string& b) {
    std::printf("FAULT: %s\n  candidate (%zu bytes): %s\n  reference (%zu bytes): %s\n", what, a.size(),
                a.c_str(), b.size(), b.c_str());
    std::exit(1);
}

const char* const kWords[] = {"a", "the", "man", "men", "walk",  "walks",  "walking", "car",    "auto",
                              "b", "c",   "of",  "big", "large", "number", "many",    "people", "'s"};

std::string word() { return kWords[below(std::size(kWords))]; }

std::string phrase(std::size_t most) {
    std::string out = word();
    for (std::size_t k = below(most); k > 0; --k) out += " " + word();
    return out;
}

// A small table in which everything is related to something.
std::vector<std::byte> table() {
    Compiler compiler;
    std::string triples;
    for (int k = 0; k < 60; ++k) {
        const std::string from = phrase(4);
        for (std::size_t n = 1 + below(4); n > 0; --n) triples += "0.5\n" + from + "\n" + phrase(4) + "\n";
    }
    for (std::size_t at = 0; at < triples.size();) {  // in pieces, as it comes from a file
        const std::size_t size = 1 + below(200);
        compiler.paraphrases(std::string_view(triples).substr(at, size));
        at += size;
    }
    compiler.function_words("a\nthe\nof\n's\n");
    compiler.prefixes("# comment\nMr\nNo #NUMERIC_ONLY#\nv\n");
    compiler.synsets("man\n1 2\nwalk\n3 4 5\ncar\n7\nauto\n7 8\nbig\n9\nlarge\n9 10\nhot_dog\n11\n");
    compiler.exceptions("man\nmen\n");
    return compiler.finish(std::string(64, '0'));
}

std::string text() {
    std::string out;
    const std::size_t kind = below(16) ? below(7) : 7;
    const std::size_t length = kind == 7 ? 60 + below(120) : below(14);
    for (std::size_t k = 0; k < length; ++k) {
        static const char* const pieces[] = {" ",
                                             "  ",
                                             ".",
                                             "..",
                                             "...",
                                             ",",
                                             "'",
                                             "''",
                                             "`",
                                             "-",
                                             "--",
                                             "|||",
                                             "|",
                                             "\xE2\x80\x99",
                                             "\xE2\x80\x9C",
                                             "\xE2\x80\x93",
                                             "\xC4\xB0",
                                             "\xC2\xA0",
                                             "\xF0\x9F\x98\x80",
                                             "\xD7\x90",
                                             "\xED\xA0\x80",
                                             "\xFF",
                                             "\x80",
                                             "No. ",
                                             "Mr. ",
                                             "1,000",
                                             "5",
                                             "DOTMULTI",
                                             "DOT",
                                             "\t",
                                             "\n",
                                             "\r",
                                             "\v",
                                             "U.S.",
                                             "e.g.",
                                             "hot_dog"};
        if (kind < 3 || kind == 7) {
            out += word() + " ";
        } else if (kind < 6) {
            out += below(2) ? word() : pieces[below(std::size(pieces))];
            if (below(2)) out += ' ';
        } else {
            out += static_cast<char>(below(256));  // any bytes, NUL among them
        }
    }
    return out;
}

// The candidates as they are written down: every word with every word, every paraphrase with every place.
struct Listed {
    std::vector<std::vector<Match>> starting;  // by reference position
    std::vector<int> test_cover, ref_cover;
    std::size_t total = 0;

    Listed(const Tables& tables, const Sentence& test, const Sentence& ref)
        : starting(ref.size()), test_cover(test.size()), ref_cover(ref.size()) {
        const bool same = identical(test, ref);
        const auto words = [&](Module module, auto&& related) {
            for (std::uint32_t j = 0; j < ref.size(); ++j) {
                for (std::uint32_t i = 0; i < test.size(); ++i) {
                    if (related(i, j)) add({j, i, 1, 1, module});
                }
            }
        };
        words(kExact, [&](std::uint32_t i, std::uint32_t j) { return test.hashes[i] == ref.hashes[j]; });
        if (same) return;
        words(kStem, [&](std::uint32_t i, std::uint32_t j) {
            return test.stems[i] == ref.stems[j] && test.hashes[i] != ref.hashes[j];
        });
        words(kSynonym, [&](std::uint32_t i, std::uint32_t j) {
            const std::uint32_t *a = tables.at(test.synsets[i].offset), *b = tables.at(ref.synsets[j].offset);
            return test.hashes[i] != ref.hashes[j] &&
                   std::find_first_of(a, a + test.synsets[i].count, b, b + ref.synsets[j].count) !=
                       a + test.synsets[i].count;
        });
        const auto paraphrases = [&](const Sentence& from, const Sentence& to, auto&& found) {
            for (const Occurrence& phrase : from.occurrences) {
                for (std::uint32_t k = 0; k < phrase.count; ++k) {
                    for (const Occurrence& place : to.occurrences) {
                        if (place.node == tables.at(phrase.list)[k]) found(phrase, place);
                    }
                }
            }
        };
        const auto match = [](const Occurrence& r, const Occurrence& t) {
            return Match{r.start, t.start, static_cast<std::uint8_t>(r.length),
                         static_cast<std::uint8_t>(t.length), kParaphrase};
        };
        paraphrases(ref, test,
                    [&](const Occurrence& phrase, const Occurrence& place) { add(match(phrase, place)); });
        paraphrases(test, ref,
                    [&](const Occurrence& phrase, const Occurrence& place) { add(match(place, phrase)); });
    }

    void add(const Match& m) {
        starting[m.ref].push_back(m);
        for (std::size_t k = 0; k < m.ref_length; ++k) ++ref_cover[m.ref + k];
        for (std::size_t k = 0; k < m.test_length; ++k) ++test_cover[m.test + k];
        ++total;
    }
};

// The search as it is written down: whole paths, copied and stably sorted, position by position.
struct Textbook {
    struct Path {
        std::vector<const Match*> chosen;
        std::vector<char> used_test, used_ref;
        long weight = 0, chunks = 0, distance = 0, position = 0, last = -1;
    };
    const Listed& candidates;
    long test_size, ref_size;

    static bool unused(const Path& p, const Match& m) {
        for (std::size_t k = m.ref; k < m.ref + std::size_t{m.ref_length}; ++k) {
            if (p.used_ref[k]) return false;
        }
        for (std::size_t k = m.test; k < m.test + std::size_t{m.test_length}; ++k) {
            if (p.used_test[k]) return false;
        }
        return true;
    }

    static void mark(Path& p, const Match& m) {
        p.chosen[m.ref] = &m;
        for (std::size_t k = m.ref; k < m.ref + std::size_t{m.ref_length}; ++k) p.used_ref[k] = 1;
        for (std::size_t k = m.test; k < m.test + std::size_t{m.test_length}; ++k) p.used_test[k] = 1;
    }

    static void take(Path& p, const Match& m) {
        const double w = m.module == kExact ? 1.0 : 0.5;
        p.weight += static_cast<long>(m.test_length * w) + static_cast<long>(m.ref_length * w);
        if (p.last != -1 && m.test != p.last) ++p.chunks;
        p.position = m.ref + m.ref_length;
        p.last = m.test + m.test_length;
    }

    static void sort(std::vector<Path>& paths) {
        std::stable_sort(paths.begin(), paths.end(), [](const Path& a, const Path& b) {
            if (a.weight != b.weight) return a.weight > b.weight;
            return a.chunks != b.chunks ? a.chunks < b.chunks : a.distance < b.distance;
        });
    }

    std::vector<Match> run(std::size_t width) const {
        Path start;
        start.chosen.resize(ref_size);
        start.used_test.resize(test_size);
        start.used_ref.resize(ref_size);
        for (long j = 0; j < ref_size; ++j) {
            if (candidates.starting[j].size() != 1) continue;
            const Match& m = candidates.starting[j][0];
            bool alone = true;
            for (std::size_t k = m.ref; k < m.ref + std::size_t{m.ref_length}; ++k)
                alone = alone && candidates.ref_cover[k] == 1;
            for (std::size_t k = m.test; k < m.test + std::size_t{m.test_length}; ++k)
                alone = alone && candidates.test_cover[k] == 1;
            if (alone) mark(start, m);
        }
        std::vector<Path> paths{start};
        for (long cur = 0; cur <= ref_size; ++cur) {
            sort(paths);
            std::vector<Path> next;
            for (std::size_t k = 0; k < std::min(width, paths.size()); ++k) step(paths[k], cur, next);
            paths = next;
        }
        sort(paths);
        std::vector<Match> out;
        for (const Match* m : paths.at(0).chosen) {
            if (m) out.push_back(*m);
        }
        return out;
    }

    void step(Path p, long cur, std::vector<Path>& next) const {
        if (cur == ref_size) {
            if (p.last != -1) ++p.chunks;
        } else if (p.used_ref[cur]) {
            if (cur >= p.position) {
                const Match& m = *p.chosen[p.position];
                take(p, m);
                p.distance += std::labs(long{m.ref} - long{m.test});
            }
        } else {
            for (const Match& m : candidates.starting[cur]) {
                if (!unused(p, m)) continue;
                next.push_back(p);
                mark(next.back(), m);
                take(next.back(), m);
                p.distance += std::labs(long{m.ref} - long{m.test});
            }
            if (p.last != -1) ++p.chunks;
            p.last = -1;
            ++p.position;
        }
        next.push_back(p);
    }
};

bool same(const Match& a, const Match& b) {
    return a.ref == b.ref && a.test == b.test && a.ref_length == b.ref_length &&
           a.test_length == b.test_length && a.module == b.module;
}

// One test against a crowd, with a beam so narrow that it overflows.
void check_alignments(LexiconPool& pool, const std::string& a, const std::vector<std::string>& crowd) {
    const Tables& tables = pool.tables();
    Analyser analyser(pool, true);
    const Sentence test = analyser.analyse(a);
    std::vector<Sentence> sentences;
    for (const std::string& b : crowd) sentences.push_back(analyser.analyse(b));
    std::vector<const Sentence*> refs;
    for (const Sentence& ref : sentences) refs.push_back(&ref);
    const auto width = static_cast<std::uint32_t>(1 + below(12));
    Aligner aligner(tables, width);
    aligner.against(refs, below(2) == 0);
    aligner.meet(test);
    for (std::size_t k = 0; k < refs.size(); ++k) {
        const auto& found = aligner.align(k);
        if (test.size() == 0 || refs[k]->size() == 0) continue;
        const Listed candidates(tables, test, *refs[k]);
        if (candidates.total > 3000) continue;
        const auto expected =
            Textbook{candidates, static_cast<long>(test.size()), static_cast<long>(refs[k]->size())}.run(
                width);
        if (found.size() != expected.size() ||
            !std::equal(found.begin(), found.end(), expected.begin(), same))
            fail("alignment differs from the textbook", a, crowd[k]);
    }
}

void check_damage(const std::vector<std::byte>& good) {
    std::vector<std::byte> bad = good;
    if (below(2)) {
        bad.resize(below(bad.size()));
    } else {
        bad[below(bad.size())] ^= static_cast<std::byte>(1 << below(8));
    }
    try {
        const Tables tables(bad);
        // the only bytes that do not count are those between the end of the header and the first section
        if (!std::equal(good.begin(), good.begin() + sizeof(Header), bad.begin()))
            fail("a damaged table was accepted", "", "");
    } catch (const TableError&) {}
    try {
        Compiler compiler;
        compiler.paraphrases(text() + "\n" + text());
        compiler.synsets(text());
        compiler.exceptions(text());
        compiler.prefixes(text());
        compiler.finish("");
    } catch (const SourceError&) {}
}

}  // namespace

int main(int count, char** arguments) {
    const long inputs = count > 1 ? std::atol(arguments[1]) : 100000;
    const long seed = count > 2 ? std::atol(arguments[2]) : 1;
    generator.seed(static_cast<std::uint64_t>(seed));
    std::vector<std::byte> bytes = table();
    auto tables = std::make_unique<Tables>(bytes);
    auto pool = std::make_unique<LexiconPool>(*tables);
    const char* const tasks[] = {"rank", "adq", "hter"};
    long done = 0;
    while (done < inputs) {
        std::vector<std::string> a(16), b(16);
        for (auto& line : a) line = text();
        for (auto& line : b) line = below(6) ? text() : a[below(a.size())];
        const std::vector<std::string_view> candidates(a.begin(), a.end()), references(b.begin(), b.end());
        std::vector<std::int64_t> left, right;
        for (int k = 0; k < 24; ++k) {
            left.push_back(static_cast<std::int64_t>(below(16)));
            right.push_back(static_cast<std::int64_t>(below(16)));
        }
        const Options options{*parameters(tasks[below(3)]), below(4) != 0, static_cast<int>(1 + below(2)),
                              40};
        std::vector<double> scores(left.size());
        std::vector<Statistics> rows(left.size());
        compare(*pool, candidates, references, left, right, options, scores, rows, {});
        for (std::size_t k = 0; k < left.size(); ++k) {
            const Statistics& s = rows[k];
            if (!(scores[k] >= 0.0 && scores[k] <= 1.0))
                fail("a score outside 0..1", a[left[k]], b[right[k]]);
            if (s[21] > s[0] || s[22] > s[1] || s[20] > s[22] || s[2] > s[0] || s[3] > s[1])
                fail("impossible statistics", a[left[k]], b[right[k]]);
            std::int64_t test = 0, ref = 0;
            for (int m = 0; m < 4; ++m) {
                test += s[4 + 4 * m] + s[6 + 4 * m];
                ref += s[5 + 4 * m] + s[7 + 4 * m];
            }
            if (test != s[21] || ref != s[22]) fail("statistics do not add up", a[left[k]], b[right[k]]);
        }
        std::vector<std::string> crowd(1 + below(4));
        for (auto& line : crowd) line = b[below(16)];
        check_alignments(*pool, a[below(16)], crowd);
        if (below(200) == 0) check_damage(bytes);
        if (below(500) == 0) {
            bytes = table();
            tables = std::make_unique<Tables>(bytes);
            pool = std::make_unique<LexiconPool>(*tables);
        }
        done += static_cast<long>(a.size() + b.size());
    }
    std::printf("meteor: %ld inputs, seed %ld: no fault\n", done, seed);
}
