// The English (Porter2) stemmer as it was before its 2024 revision, after the published description of M. F.
// Porter (https://snowballstem.org/algorithms/english/stemmer.html, step 0 to 5). It works on UTF-16 units.
#pragma once

#include <string>
#include <string_view>

namespace storymeter::meteor {

std::u16string porter2(std::u16string_view word);

}  // namespace storymeter::meteor
