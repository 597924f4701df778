// From an alignment to 23 statistics, and from statistics to a score (METEOR 1.5; Denkowski and Lavie, WMT
// 2014). With P and R the weighted precision and recall:
//
//   F = P R / (alpha P + (1 - alpha) R),   score = F (1 - gamma (chunks / matches) ^ beta)
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "match.hpp"

namespace storymeter::meteor {

// n1, n2, function words of both; per module (exact, stem, synonym, paraphrase) matched content words of test
// and reference and matched function words of both; chunks; matched words of both.
inline constexpr std::size_t kStatistics = 23;
using Statistics = std::array<std::int64_t, kStatistics>;

struct Parameters {
    double alpha, beta, gamma, delta;
    std::array<double, kModules> weights;
};

// `rank` (the default of METEOR 1.5), `adq` or `hter`.
std::optional<Parameters> parameters(std::string_view task);

Statistics statistics(const Sentence& test, const Sentence& ref, const std::vector<Match>& alignment);
double score(std::span<const double, kStatistics> statistics, const Parameters& parameters);
double score(const Statistics& statistics, const Parameters& parameters);

// All words matched in one chunk: the corpus score does not count such a chunk.
template <typename Row>
bool perfect(const Row& s) {
    return s[21] == s[0] && s[22] == s[1] && s[20] == 1;
}

}  // namespace storymeter::meteor
