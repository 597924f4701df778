#include "score.hpp"

#include <algorithm>
#include <cmath>

namespace storymeter::meteor {

std::optional<Parameters> parameters(std::string_view task) {
    if (task == "rank") return Parameters{0.85, 0.2, 0.6, 0.75, {1.0, 0.6, 0.8, 0.6}};
    if (task == "adq") return Parameters{0.75, 1.40, 0.45, 0.70, {1.0, 1.0, 0.6, 0.8}};
    if (task == "hter") return Parameters{0.40, 1.50, 0.35, 0.55, {1.0, 0.2, 0.6, 0.8}};
    return std::nullopt;
}

Statistics statistics(const Sentence& test, const Sentence& ref, const std::vector<Match>& alignment) {
    Statistics s{};
    s[0] = test.size();
    s[1] = ref.size();
    s[2] = test.function_words;
    s[3] = ref.function_words;
    constexpr std::uint32_t closed = 0xFFFFFFFF;
    std::uint32_t ref_end = 0, test_end = closed;
    for (const Match& m : alignment) {
        std::int64_t* const module = s.data() + 4 + 4 * m.module;
        for (std::uint32_t k = m.test; k < m.test + m.test_length; ++k) ++module[test.function[k] ? 2 : 0];
        for (std::uint32_t k = m.ref; k < m.ref + m.ref_length; ++k) ++module[ref.function[k] ? 3 : 1];
        if (m.ref != ref_end || m.test != test_end) ++s[20];  // a chunk goes on where both sides go on
        ref_end = m.ref + m.ref_length;
        test_end = m.test + m.test_length;
        s[21] += m.test_length;
        s[22] += m.ref_length;
    }
    return s;
}

// The order of these operations is part of the definition: it decides the last bits.
double score(std::span<const double, kStatistics> s, const Parameters& p) {
    double test_matches = 0.0, ref_matches = 0.0;
    for (std::size_t m = 0; m < kModules; ++m) {
        test_matches += s[4 + 4 * m] * p.weights[m] * p.delta;
        ref_matches += s[5 + 4 * m] * p.weights[m] * p.delta;
    }
    for (std::size_t m = 0; m < kModules; ++m) {
        test_matches += s[6 + 4 * m] * p.weights[m] * (1.0 - p.delta);
        ref_matches += s[7 + 4 * m] * p.weights[m] * (1.0 - p.delta);
    }
    const double test_length = p.delta * (s[0] - s[2]) + (1.0 - p.delta) * s[2];
    const double ref_length = p.delta * (s[1] - s[3]) + (1.0 - p.delta) * s[3];
    const double precision = test_matches / test_length, recall = ref_matches / ref_length;
    const double f_mean = 1.0 / ((1.0 - p.alpha) / precision + p.alpha / recall);
    const double fragmentation = perfect(s) ? 0.0 : s[20] / ((s[21] + s[22]) / 2.0);
    const double value = f_mean * (1.0 - p.gamma * std::pow(fragmentation, p.beta));
    return value > 0.0 ? value : 0.0;  // NaN (nothing matched) is 0 as well
}

double score(const Statistics& statistics, const Parameters& parameters) {
    std::array<double, kStatistics> s;
    std::copy(statistics.begin(), statistics.end(), s.begin());
    return score(std::span<const double, kStatistics>(s), parameters);
}

}  // namespace storymeter::meteor
