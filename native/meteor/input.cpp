#include "input.hpp"

namespace storymeter::meteor {
namespace {

std::string without(std::string_view text, std::string_view what, std::string_view with) {
    std::string out;
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(what, from)) != std::string_view::npos; from = at + what.size()) {
        out.append(text.substr(from, at - from)).append(with);
    }
    return out.append(text.substr(from));
}

bool double_blank(std::string_view text) {
    bool found = false;
    for (std::size_t k = 1; k < text.size(); ++k)
        found |= (text[k - 1] == ' ') & (text[k] == ' ');  // no way out: vectors are faster
    return found;
}

}  // namespace

std::string_view clean_candidate(std::string_view text, std::string& buffer) {
    if (text.find(kSeparator) == text.npos && !double_blank(text)) return text;
    buffer = without(without(text, kSeparator, ""), "  ", " ");
    return buffer;
}

}  // namespace storymeter::meteor
