// Writes tokens as UTF-8, in lower case, one blank between them.
#pragma once

#include <string>
#include <string_view>

#include "text.hpp"

namespace storymeter::ptb {

// Whether the capital sigma at i ends a word, and so has its own small form.
bool is_final_sigma(std::u16string_view units, std::size_t i);

class Writer {
  public:
    Writer(std::string& out, bool punctuation) : out_(out), punctuation_(punctuation) {}

    void token(std::u16string_view units, Emit emit);
    void token(std::string_view ascii);

    // The same for at most 64 ASCII letters, and for a sign of the punctuation set.
    template <typename Unit>
    void word(const Unit* letters, std::size_t n) {
        char small[64];
        for (std::size_t k = 0; k < n; ++k) small[k] = static_cast<char>(letters[k] | 32);
        if (!out_.empty()) out_.push_back(' ');
        out_.append(small, n);
    }
    void sign(char c) {
        if (!punctuation_) return;
        if (!out_.empty()) out_.push_back(' ');
        out_.push_back(c);
    }

  private:
    void begin();
    void end();  // takes the token back when it is punctuation and not wanted
    void unit(std::u16string_view units, std::size_t& i, Emit emit);
    void quotes(std::u16string_view units);

    std::string& out_;
    bool punctuation_;
    std::size_t start_ = 0;
};

}  // namespace storymeter::ptb
