// METEOR for Python: the compiler of its tables, the tables, and the comparison of many pairs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "meteor/batch.hpp"
#include "meteor/bound.hpp"
#include "meteor/compile.hpp"
#include "meteor/explain.hpp"
#include "meteor/words.hpp"
#include "texts.hpp"

namespace nb = nanobind;
using namespace storymeter;
using namespace storymeter::meteor;

namespace {

using Index = ArrayIn<std::int64_t>;

struct MappedTables {
    std::unique_ptr<Buffer> buffer;
    std::unique_ptr<Tables> tables;
    std::unique_ptr<LexiconPool> pool;
};

std::span<const std::int64_t> checked(const Index& index, std::size_t size) {
    const std::span<const std::int64_t> items = view(index);
    for (const std::int64_t k : items) {
        if (k < 0 || static_cast<std::size_t>(k) >= size)
            throw nb::index_error("a pair points outside its list of sentences");
    }
    return items;
}

// What a call compares, checked.
struct Question {
    Texts candidates, references;
    std::span<const std::int64_t> candidate_index, reference_index;
    Options options;

    Question(const nb::list& c, const nb::list& r, const Index& ci, const Index& ri, const std::string& task,
             bool normalize, int threads, std::uint32_t beam = 40)
        : candidates(c),
          references(r),
          candidate_index(checked(ci, candidates.size())),
          reference_index(checked(ri, references.size())) {
        const auto chosen = parameters(task);
        if (!chosen || beam == 0) throw nb::value_error("an unknown task, or a beam without a path");
        if (candidate_index.size() != reference_index.size())
            throw nb::value_error("the two index arrays differ in length");
        options = {*chosen, normalize, threads, beam};
    }

    std::size_t size() const { return candidate_index.size(); }
};

nb::tuple compare_pairs(const MappedTables& mapped, const nb::list& candidates, const nb::list& references,
                        const Index& candidate_index, const Index& reference_index, const std::string& task,
                        bool normalize, int threads, bool want_statistics, std::uint32_t beam, bool small) {
    const Question q(candidates, references, candidate_index, reference_index, task, normalize, threads,
                     beam);
    std::vector<double> scores(q.size());
    std::vector<Statistics> wide(want_statistics && !small ? q.size() : 0);
    std::vector<SmallStatistics> narrow(want_statistics && small ? q.size() : 0);
    {
        nb::gil_scoped_release release;
        compare(*mapped.pool, q.candidates.views(), q.references.views(), q.candidate_index,
                q.reference_index, q.options, scores, wide, narrow);
    }
    return nb::make_tuple(to_numpy(std::move(scores)),
                          small ? to_numpy(std::move(narrow)) : to_numpy(std::move(wide)));
}

nb::object bound_pairs(const MappedTables& mapped, const nb::list& candidates, const nb::list& references,
                       const Index& candidate_index, const Index& reference_index, const std::string& task,
                       bool normalize, int threads) {
    const Question q(candidates, references, candidate_index, reference_index, task, normalize, threads);
    std::vector<double> out(q.size());
    {
        nb::gil_scoped_release release;
        bounds(*mapped.pool, q.candidates.views(), q.references.views(), q.candidate_index, q.reference_index,
               q.options, out);
    }
    return to_numpy(std::move(out));
}

nb::tuple words(const Side& side) {
    nb::list words, function;
    for (std::size_t k = 0; k < side.words.size(); ++k) {
        words.append(nb::str(side.words[k].data(), side.words[k].size()));
        function.append(nb::bool_(side.function[k] != 0));
    }
    return nb::make_tuple(nb::tuple(words), nb::tuple(function));
}

nb::tuple align_pair(const MappedTables& mapped, const std::string& candidate, const std::string& reference,
                     const std::string& task, bool normalize) {
    const auto chosen = parameters(task);
    if (!chosen) throw nb::value_error("an unknown task");
    Explanation found;
    {
        nb::gil_scoped_release release;
        found = explain(*mapped.pool, candidate, reference, {*chosen, normalize});
    }
    nb::list matches;
    for (const Match& m : found.matches)
        matches.append(
            nb::make_tuple(m.test, m.test_length, m.ref, m.ref_length, static_cast<int>(m.module)));
    return nb::make_tuple(words(found.test), words(found.ref), matches);
}

nb::object score_statistics(const MatrixIn<double>& rows, const std::string& task) {
    const auto chosen = parameters(task);
    if (!chosen || rows.shape(1) != kStatistics)
        throw nb::value_error("an unknown task, or rows that do not hold 23 statistics");
    std::vector<double> scores(rows.shape(0));
    for (std::size_t k = 0; k < scores.size(); ++k)
        scores[k] = score(view(rows).subspan(k * kStatistics).first<kStatistics>(), *chosen);
    return to_numpy(std::move(scores));
}

}  // namespace

void bind_meteor(nb::module_& m) {
    nb::exception<TableError>(m, "TableError", PyExc_ValueError);
    nb::exception<SourceError>(m, "SourceError", PyExc_ValueError);
    m.attr("METEOR_TABLE_VERSION") = kTableVersion;

    nb::class_<MappedTables>(
        m, "MeteorTables", "METEOR's word lists in a compiled table; raises TableError where it is not sound")
        .def(
            "__init__",
            [](MappedTables* self, nb::handle object) {
                auto buffer = std::make_unique<Buffer>(object);
                std::unique_ptr<Tables> tables;
                {
                    nb::gil_scoped_release release;
                    tables = std::make_unique<Tables>(buffer->bytes());
                }
                auto pool = std::make_unique<LexiconPool>(*tables);
                new (self) MappedTables{std::move(buffer), std::move(tables), std::move(pool)};
            },
            nb::arg("buffer"))
        .def_prop_ro(
            "source", [](const MappedTables& t) { return std::string(t.tables->source()); },
            "SHA-256 of the data the table was made from")
        .def_prop_ro("words", [](const MappedTables& t) { return t.tables->words(); });

    nb::class_<Compiler>(m, "MeteorCompiler", "makes a table from METEOR's data files")
        .def(nb::init<>())
        .def("paraphrases",
             [](Compiler& self, nb::handle piece) {
                 const Buffer buffer(piece);
                 nb::gil_scoped_release release;
                 self.paraphrases(buffer.text());
             })
        .def("function_words",
             [](Compiler& self, nb::handle file) { self.function_words(Buffer(file).text()); })
        .def("prefixes", [](Compiler& self, nb::handle file) { self.prefixes(Buffer(file).text()); })
        .def("synsets", [](Compiler& self, nb::handle file) { self.synsets(Buffer(file).text()); })
        .def("exceptions", [](Compiler& self, nb::handle file) { self.exceptions(Buffer(file).text()); })
        .def(
            "finish",
            [](Compiler& self, const std::string& digest) {
                std::vector<std::byte> table;
                {
                    nb::gil_scoped_release release;
                    table = self.finish(digest);
                }
                return to_numpy(std::move(table));
            },
            nb::arg("source_digest"));

    m.def("meteor_compare", &compare_pairs, nb::arg("tables"), nb::arg("candidates"), nb::arg("references"),
          nb::arg("candidate_index"), nb::arg("reference_index"), nb::arg("task"), nb::arg("normalize"),
          nb::arg("threads"), nb::arg("want_statistics"), nb::arg("beam") = 40, nb::arg("small") = false,
          "(scores, statistics) of the pairs; statistics have no rows where they are not wanted; small: as "
          "they "
          "are summed, in two bytes each");
    m.def("meteor_bounds", &bound_pairs, nb::arg("tables"), nb::arg("candidates"), nb::arg("references"),
          nb::arg("candidate_index"), nb::arg("reference_index"), nb::arg("task"), nb::arg("normalize"),
          nb::arg("threads"), "what the scores of the pairs cannot exceed");
    m.def("meteor_align", &align_pair, nb::arg("tables"), nb::arg("candidate"), nb::arg("reference"),
          nb::arg("task"), nb::arg("normalize"),
          "words and their being function words on both sides; matches as (candidate, length, reference, "
          "length, module), by candidate");
    m.def("meteor_score_statistics", &score_statistics, nb::arg("rows"), nb::arg("task"),
          "scores of rows of 23 statistics");
    m.def(
        "porter2", [](const std::string& word) { return stem(word); }, nb::arg("word"),
        "the stem of a word (Porter2, before its revision of 2024)");
    m.def(
        "meteor_normalize",
        [](const MappedTables& t, const std::string& line) { return normalize(line, *t.tables); },
        nb::arg("tables"), nb::arg("line"), "a line as METEOR's normaliser leaves it");
}
