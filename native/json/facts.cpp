#include "facts.hpp"

#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <vector>

namespace storymeter {
namespace {

std::uint64_t hash(std::string_view key) {
    std::uint64_t h = 0x9e3779b97f4a7c15ULL ^ key.size();
    while (!key.empty()) {
        std::uint64_t word = 0;
        const std::size_t n = key.size() < 8 ? key.size() : 8;
        std::memcpy(&word, key.data(), n);
        h = (h ^ word) * 0xff51afd7ed558ccdULL;
        h ^= h >> 32;
        key.remove_prefix(n);
    }
    return h;
}

// The keys of one object. Most objects have a handful, and a linear search beats a table.
struct Keys {
    std::vector<std::uint64_t> few;
    std::unordered_set<std::uint64_t> many;

    void clear() {
        few.clear();
        if (!many.empty()) many.clear();
    }
    bool add(std::uint64_t key) {
        if (!many.empty()) return many.insert(key).second;
        for (const auto other : few)
            if (other == key) return false;
        few.push_back(key);
        if (few.size() > 16) many.insert(few.begin(), few.end());
        return true;
    }
};

}  // namespace

JsonFacts json_facts(std::string_view text) {
    constexpr std::size_t watched = 64;  // deeper objects are refused by the caller anyway
    JsonFacts facts;
    std::vector<Keys> keys(watched);
    std::size_t depth = 0, i = 0;
    while (i < text.size()) {
        const char c = text[i];
        if (c == '{' || c == '[') {
            if (++depth > facts.depth) facts.depth = depth;
            if (depth <= watched) keys[depth - 1].clear();
        } else if (c == '}' || c == ']') {
            if (depth > 0) --depth;
        } else if (c == '"') {
            const std::size_t begin = ++i;
            bool escaped = false;
            while (i < text.size() && text[i] != '"') {
                const bool backslash = text[i] == '\\';
                escaped |= backslash;
                i += backslash ? 2 : 1;
            }
            const std::size_t end = i < text.size() ? i : text.size();
            std::size_t next = end + 1;
            while (next < text.size() &&
                   (text[next] == ' ' || text[next] == '\n' || text[next] == '\t' || text[next] == '\r'))
                ++next;
            if (next < text.size() && text[next] == ':' && depth > 0 && depth <= watched) {
                if (escaped || !keys[depth - 1].add(hash(text.substr(begin, end - begin))))
                    facts.doubtful_keys = true;
            }
        }
        ++i;
    }
    return facts;
}

}  // namespace storymeter
