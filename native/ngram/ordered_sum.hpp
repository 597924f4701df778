// Sums that do not depend on the order in which their terms were found.
#pragma once

#include <algorithm>
#include <vector>

namespace storymeter {

// Smallest first.
inline double ordered_sum(std::vector<double>& terms) {
    std::sort(terms.begin(), terms.end());
    double sum = 0.0;
    for (const double term : terms) sum += term;
    return sum;
}

}  // namespace storymeter
