#include "explain.hpp"

#include <algorithm>

#include "align.hpp"
#include "input.hpp"

namespace storymeter::meteor {
namespace {

Side side(const Analyser& analyser, const Sentence& sentence) {
    return {analyser.words(), {sentence.function.begin(), sentence.function.end()}};
}

}  // namespace

Explanation explain(LexiconPool& pool, std::string_view candidate, std::string_view reference,
                    const Options& options) {
    Analyser analyser(pool, options.normalize);
    Aligner aligner(pool.tables(), options.beam);
    std::string buffer;
    const Sentence test = analyser.analyse(clean_candidate(candidate, buffer));
    Explanation out{side(analyser, test), {}, {}};
    double best = -1.0;
    each_reference(reference, [&](std::string_view part) {
        const Sentence ref = analyser.analyse(part);
        const Sentence* const one = &ref;
        aligner.against({&one, 1}, false);
        aligner.meet(test);
        const std::vector<Match>& matches = aligner.align(0);
        const double value = score(statistics(test, ref, matches), options.parameters);
        if (value <= best) return;
        best = value;
        out.ref = side(analyser, ref);
        out.matches = matches;
    });
    std::sort(out.matches.begin(), out.matches.end(),
              [](const Match& a, const Match& b) { return a.test < b.test; });
    return out;
}

}  // namespace storymeter::meteor
