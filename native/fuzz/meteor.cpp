// Hostile text through METEOR, with a made-up table; the aligner against a textbook version; damaged tables and data files.
//   fuzz_meteor [inputs] [seed]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../meteor/align.hpp"
#include "../meteor/batch.hpp"
#include "../meteor/compile.hpp"

using namespace storymeter::meteor;

namespace {

std::mt19937_64 generator;

std::size_t below(std::size_t n) { return n == 0 ? 0 : generator() % n; }

[[noreturn]] void fail(const char* what, const std::string& a, const std::string& b) {
    std::printf("FAULT: %s\n  candidate (%zu bytes): %s\n  reference (%zu bytes): %s\n", what, a.size(), a.c_str(), b.size(), b.c_str());
    std::exit(1);
}

const char* const kWords[] = {"a", "the", "man", "men", "walk", "walks", "walking", "car", "auto", "b", "c", "of", "big", "large", "number", "many", "people", "'s"};

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
        static const char* const pieces[] = {" ", "  ", ".", "..", "...", ",", "'", "''", "`", "-", "--", "|||", "|", "\xE2\x80\x99", "\xE2\x80\x9C", "\xE2\x80\x93",
                                             "\xC4\xB0", "\xC2\xA0", "\xF0\x9F\x98\x80", "\xD7\x90", "\xED\xA0\x80", "\xFF", "\x80", "No. ", "Mr. ", "1,000", "5", "DOTMULTI", "DOT",
                                             "\t", "\n", "\r", "\v", "U.S.", "e.g.", "hot_dog"};
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

// The search as it is written down: whole paths, copied and stably sorted, position by position.
struct Textbook {
    struct Path {
        std::vector<const Match*> chosen;
        std::vector<char> used_test, used_ref;
        long weight = 0, chunks = 0, distance = 0, position = 0, last = -1;
    };
    const Candidates& candidates;
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
            if (candidates.begins[j + 1] - candidates.begins[j] != 1) continue;
            const Match& m = candidates.matches[candidates.begins[j]];
            bool alone = true;
            for (std::size_t k = m.ref; k < m.ref + std::size_t{m.ref_length}; ++k) alone = alone && candidates.ref_cover[k] == 1;
            for (std::size_t k = m.test; k < m.test + std::size_t{m.test_length}; ++k) alone = alone && candidates.test_cover[k] == 1;
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
            for (std::uint32_t k = candidates.begins[cur]; k < candidates.begins[cur + 1]; ++k) {
                const Match& m = candidates.matches[k];
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
    return a.ref == b.ref && a.test == b.test && a.ref_length == b.ref_length && a.test_length == b.test_length && a.module == b.module;
}

void check_alignment(const Tables& tables, const std::string& a, const std::string& b) {
    Analyser analyser(tables, true);
    const Sentence test = analyser.analyse(a), ref = analyser.analyse(b);
    if (test.size() == 0 || ref.size() == 0) return;
    Matcher matcher(tables);
    Candidates candidates;
    matcher.find(test, ref, kMostCandidates, candidates);
    if (candidates.matches.size() > 3000) return;
    const auto width = static_cast<std::uint32_t>(1 + below(12));  // narrow, so that it overflows
    const auto expected = Textbook{candidates, static_cast<long>(test.size()), static_cast<long>(ref.size())}.run(width);
    Aligner aligner(tables);
    const auto& found = aligner.align(test, ref, width);
    if (found.size() != expected.size() || !std::equal(found.begin(), found.end(), expected.begin(), same)) fail("alignment differs from the textbook", a, b);
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
        if (!std::equal(good.begin(), good.begin() + sizeof(Header), bad.begin())) fail("a damaged table was accepted", "", "");
    } catch (const TableError&) {
    }
    try {
        Compiler compiler;
        compiler.paraphrases(text() + "\n" + text());
        compiler.synsets(text());
        compiler.exceptions(text());
        compiler.prefixes(text());
        compiler.finish("");
    } catch (const SourceError&) {
    }
}

}  // namespace

int main(int count, char** arguments) {
    const long inputs = count > 1 ? std::atol(arguments[1]) : 100000;
    const long seed = count > 2 ? std::atol(arguments[2]) : 1;
    generator.seed(static_cast<std::uint64_t>(seed));
    std::vector<std::byte> bytes = table();
    Tables tables(bytes);
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
        const Options options{*parameters(tasks[below(3)]), below(4) != 0, static_cast<int>(1 + below(2)), 40};
        std::vector<double> scores(left.size());
        std::vector<Statistics> rows(left.size());
        compare(tables, candidates, references, left, right, options, scores, rows);
        for (std::size_t k = 0; k < left.size(); ++k) {
            const Statistics& s = rows[k];
            if (!(scores[k] >= 0.0 && scores[k] <= 1.0)) fail("a score outside 0..1", a[left[k]], b[right[k]]);
            if (s[21] > s[0] || s[22] > s[1] || s[20] > s[22] || s[2] > s[0] || s[3] > s[1]) fail("impossible statistics", a[left[k]], b[right[k]]);
            std::int64_t test = 0, ref = 0;
            for (int m = 0; m < 4; ++m) {
                test += s[4 + 4 * m] + s[6 + 4 * m];
                ref += s[5 + 4 * m] + s[7 + 4 * m];
            }
            if (test != s[21] || ref != s[22]) fail("statistics do not add up", a[left[k]], b[right[k]]);
        }
        for (int k = 0; k < 2; ++k) check_alignment(tables, a[below(16)], b[below(16)]);
        if (below(200) == 0) check_damage(bytes);
        if (below(500) == 0) {
            bytes = table();
            tables = Tables(bytes);
        }
        done += static_cast<long>(a.size() + b.size());
    }
    std::printf("meteor: %ld inputs, seed %ld: no fault\n", done, seed);
}
