// Random JSON-like bytes through the scan for doubled keys; objects with a known doubled key must be noticed.
//
//     fuzz_json [inputs] [seed]
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "json/facts.hpp"

int main(int argc, char** argv) {
    const unsigned long long inputs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
    const unsigned long long seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    std::mt19937_64 draw(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(draw() % n); };
    static const char* const pieces[] = {"{",    "}", "[", "]",  "\"",  "\"a\":", "\"b\" :", "\\",
                                         "\\\"", ",", " ", "\n", "1e9", "null",   "\xFF",    "\xC3\xA9"};
    std::printf("JSON facts: %llu texts, seed %llu\n", inputs, seed);
    for (unsigned long long done = 0; done < inputs; ++done) {
        std::string text;
        for (std::size_t k = below(60); k > 0; --k)
            text += below(8) == 0 ? std::string(1, static_cast<char>(below(256)))
                                  : pieces[below(std::size(pieces))];
        const std::vector<char> exact(text.begin(),
                                      text.end());  // no terminator behind it: a read past the end is seen
        if (storymeter::json_facts({exact.data(), exact.size()}).depth > text.size()) std::abort();

        const std::size_t keys = 2 + below(40), first = below(keys), second = below(keys);
        std::string object = "{";
        for (std::size_t k = 0; k < keys; ++k)
            object += (k ? ", \"k" : "\"k") + std::to_string(k == second ? first : k) + "\": {\"k0\": [1]}";
        object += "}";
        if (storymeter::json_facts(object).doubtful_keys != (first != second)) {
            std::fprintf(stderr, "doubled keys are wrong at input %llu: %s\n", done, object.c_str());
            std::abort();
        }
    }
    std::puts("no fault found");
}
