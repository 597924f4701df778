// Many pairs at once: each distinct sentence analysed once, each distinct pair compared once, on several
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lexicon.hpp"
#include "score.hpp"

namespace storymeter::meteor {

// The statistics as they are summed (the chunk of a completely matched pair is not counted), in two bytes
// each.
using SmallStatistics = std::array<std::uint16_t, kStatistics>;

struct Options {
    Parameters parameters;
    bool normalize = true;
    int threads = 1;
    std::uint32_t beam = 40;
};

// Pair k compares candidates[candidate_index[k]] with references[reference_index[k]]. As on the original's
// way in, `|||` is taken out of a candidate and double blanks become single ones, once from left to right;
// `|||` cuts a reference into several, of which the first best counts. Outputs may be empty: they are not
// filled then. `small` wants texts of fewer than 65,536 words.
void compare(LexiconPool& pool, std::span<const std::string_view> candidates,
             std::span<const std::string_view> references, std::span<const std::int64_t> candidate_index,
             std::span<const std::int64_t> reference_index, const Options& options, std::span<double> scores,
             std::span<Statistics> statistics, std::span<SmallStatistics> small);

}  // namespace storymeter::meteor
