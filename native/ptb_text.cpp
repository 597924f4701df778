#include "ptb_text.hpp"

namespace storymeter::ptb {

std::size_t Text::literal(std::size_t i, std::string_view lower) const {
    if (i + lower.size() > units_.size()) return 0;
    for (std::size_t k = 0; k < lower.size(); ++k) {
        const int unit = units_[i + k];
        const int small = unit >= 'A' && unit <= 'Z' ? unit + 32 : unit;
        if (small != lower[k]) return 0;
    }
    return lower.size();
}

}  // namespace storymeter::ptb
