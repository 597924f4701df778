// Lower-casing by simple Unicode mappings (Unicode 13, the version of Java 17). One character has a longer
// form: U+0130 becomes `i` and U+0307; the final sigma needs no rule, because the normaliser isolates Greek
// letters.
#pragma once

#include <string>

namespace storymeter::meteor {

char32_t lower(char32_t point);
void append_lower(std::u32string& out, char32_t point);

}  // namespace storymeter::meteor
