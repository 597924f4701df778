// Writes tokens as UTF-8, in lower case, one blank between them.
#pragma once

#include <string>
#include <string_view>

#include "ptb_text.hpp"

namespace storymeter::ptb {

class Writer {
  public:
    Writer(std::string& out, bool punctuation) : out_(out), punctuation_(punctuation) {}

    void token(std::u16string_view units, Emit emit);
    void token(std::string_view ascii);
    void plain(std::u16string_view ascii);  // the same for ASCII letters and signs, without special cases

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
