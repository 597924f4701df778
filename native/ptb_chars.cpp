#include "ptb_chars.hpp"

#include <memory>
#include <string_view>

namespace storymeter::ptb {
namespace {

struct Table {
    std::uint16_t flags[0x10000] = {};

    void add(int first, int last, unsigned kind) {
        for (int unit = first; unit <= last; ++unit) flags[unit] = static_cast<std::uint16_t>(flags[unit] | kind);
    }
    void drop(std::string_view units, unsigned kind) {
        for (const char unit : units) flags[static_cast<unsigned char>(unit)] &= static_cast<std::uint16_t>(~kind);
    }

    Table() {
        add('a', 'z', kLetter | kThing | kAsciiWord);
        add('A', 'Z', kLetter | kThing | kAsciiWord | kCapital);
        add('0', '9', kDigit | kThing | kAsciiWord);
        add(0xC0, 0x1FFF, kLetter | kThing);
        add(0x3040, 0xD7FF, kLetter | kThing);
        flags[' '] = flags['\t'] = flags[0xA0] = kBlank;
        for (const int unit : {'\n', '\r', 0x0B, 0x0C, 0x85, 0x2028, 0x2029}) flags[unit] = kNewline;
        add(0, 0xFFFF, kUrl | kHost);
        drop(" \t\n\r\v\f\"<>|(){}", kUrl | kHost);
        drop("'`!$", kHost);
        for (int unit = ','; unit <= '_'; ++unit) flags[unit] &= static_cast<std::uint16_t>(~kHost);
        flags['\''] |= kApostrophe;
        flags[0x2019] |= kApostrophe;
    }
};

}  // namespace

std::uint16_t kinds(int unit) {
    static const std::unique_ptr<const Table> table = std::make_unique<Table>();
    return unit < 0 ? 0 : table->flags[unit];
}

}  // namespace storymeter::ptb
