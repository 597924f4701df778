// Dot products, greedy matchings and alignments of words for Python. Indices are checked here, so that the
// kernels need not.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "arrays.hpp"
#include "vectors/alignment.hpp"
#include "vectors/vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace storymeter;

namespace {

using Matrix = MatrixIn<float>;
using Index = ArrayIn<std::int64_t>;
using Weights = ArrayIn<double>;
using Words = ArrayIn<std::int32_t>;
using Floats = ArrayIn<float>;
using Out = ArrayOut<double>;

Vectors vectors(const Matrix& matrix) { return {view(matrix), matrix.shape(1)}; }

void check(const Index& index, std::size_t below) {
    for (const std::int64_t k : view(index))
        if (k < 0 || static_cast<std::size_t>(k) >= below) throw nb::index_error("an index is out of range");
}

TokenVectors tokens(const Matrix& matrix, const Index& offset, const Weights& weight) {
    if (!are_offsets(view(offset), matrix.shape(0)) || weight.size() != matrix.shape(0))
        throw nb::value_error("offsets must ascend from 0 to the number of rows, with one weight per row");
    return {vectors(matrix), view(offset), view(weight)};
}

WeighedWords sentences(const Index& offset, const Words& word, const Floats& weight, std::size_t below) {
    bool sound = are_offsets(view(offset), word.size()) && weight.size() == word.size();
    for (const std::int32_t number : view(word))
        sound = sound && number >= 0 && static_cast<std::size_t>(number) < below;
    if (!sound)
        throw nb::value_error(
            "offsets must ascend from 0 to the number of words, each a number of the table and with a "
            "weight");
    return {view(offset), view(word), view(weight)};
}

}  // namespace

void bind_vectors(nb::module_& m) {
    m.def(
        "dot_indexed",
        [](const Matrix& a, const Matrix& b, const Index& ia, const Index& ib, Out& out, int threads) {
            if (a.shape(1) != b.shape(1) || ia.size() != ib.size() || out.size() != ia.size())
                throw nb::value_error("shapes do not fit");
            check(ia, a.shape(0));
            check(ib, b.shape(0));
            nb::gil_scoped_release release;
            dot_indexed(vectors(a), vectors(b), view(ia), view(ib), view(out), threads);
        },
        "a"_a, "b"_a, "ia"_a, "ib"_a, "out"_a, "threads"_a = 1, "out[k] = a[ia[k]] . b[ib[k]]");

    m.def(
        "greedy_matching",
        [](const Matrix& c, const Index& co, const Weights& cw, const Matrix& r, const Index& ro,
           const Weights& rw, const Index& ic, const Index& ir, Out& out, int threads) {
            if (c.shape(1) != r.shape(1) || ic.size() != ir.size() || out.size() != 3 * ic.size())
                throw nb::value_error("shapes do not fit");
            const TokenVectors candidates = tokens(c, co, cw), references = tokens(r, ro, rw);
            check(ic, co.size() - 1);
            check(ir, ro.size() - 1);
            nb::gil_scoped_release release;
            greedy_matching(candidates, references, view(ic), view(ir), view(out), threads);
        },
        "candidates"_a, "candidate_offset"_a, "candidate_weight"_a, "references"_a, "reference_offset"_a,
        "reference_weight"_a, "candidate_index"_a, "reference_index"_a, "out"_a, "threads"_a = 1,
        "Fills rows of precision, recall and F1 of greedy matching (BERTScore; Zhang et al., ICLR 2020)");

    m.def(
        "align_and_penalise",
        [](const Matrix& table, const Index& co, const Words& cw, const Floats& cx, const Index& ro,
           const Words& rw, const Floats& rx, const Index& ic, const Index& ir, float weak_below, float weak,
           float opposite, Out& out, int threads) {
            if (ic.size() != ir.size() || out.size() != ic.size()) throw nb::value_error("shapes do not fit");
            const WeighedWords candidates = sentences(co, cw, cx, table.shape(0)),
                               references = sentences(ro, rw, rx, table.shape(1));
            check(ic, co.size() - 1);
            check(ir, ro.size() - 1);
            nb::gil_scoped_release release;
            align_and_penalise({view(table), table.shape(1)}, candidates, references, view(ic), view(ir),
                               {weak_below, weak, opposite}, view(out), threads);
        },
        "similarities"_a, "candidate_offset"_a, "candidate_word"_a, "candidate_weight"_a,
        "reference_offset"_a, "reference_word"_a, "reference_weight"_a, "candidate_index"_a,
        "reference_index"_a, "weak_below"_a, "weak"_a, "opposite"_a, "out"_a, "threads"_a = 1,
        "Fills the align-and-penalise similarity of pairs of sentences over a table of word similarities");
}
