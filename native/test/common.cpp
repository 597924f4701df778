// UTF-8, numbered keys and the loop over threads.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/pair_index.hpp"
#include "common/parallel.hpp"
#include "common/utf8.hpp"

using namespace storymeter;

TEST_SUITE_BEGIN("common");

TEST_CASE("UTF-8 is decoded and encoded") {
    CHECK(decode_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") == U"a\u00E9\u20AC\U0001F600");
    CHECK(encode_utf8(U"a\u00E9\u20AC\U0001F600") == "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    for (const char32_t point : {0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF})
        CHECK(decode_utf8(encode_utf8(std::u32string(1, point))) == std::u32string(1, point));
}

TEST_CASE("malformed UTF-8 becomes U+FFFD") {
    const std::u32string bad(1, kReplacement);
    CHECK(decode_utf8("\xFF") == bad);
    CHECK(decode_utf8("\x80") == bad);
    CHECK(decode_utf8("\xC0\xAF") == bad + bad);    // an overlong slash: neither byte begins a character
    CHECK(decode_utf8("\xE0\x80\xAF") == bad);      // overlong in three bytes
    CHECK(decode_utf8("\xED\xA0\x80") == bad);      // half of a surrogate pair
    CHECK(decode_utf8("\xF4\x90\x80\x80") == bad);  // beyond U+10FFFF
    CHECK(decode_utf8("a\xE2\x82") == U"a" + bad);  // cut off
    CHECK(decode_utf8("\xE2\x82z") == bad + U"z");  // the z is kept
    CHECK(decode_utf8("").empty());
}

TEST_CASE("keys are numbered by first appearance, also when the table grows") {
    PairIndex index;
    const std::vector<std::uint64_t> keys{7, 9, 7, 0, 9};
    std::vector<std::int64_t> numbers(keys.size());
    index.add(keys, numbers);
    CHECK(numbers == std::vector<std::int64_t>{0, 1, 0, 2, 1});
    std::vector<std::uint64_t> many(5000);
    for (std::size_t k = 0; k < many.size(); ++k) many[k] = (std::uint64_t{k} << 32) + 100;
    numbers.resize(many.size());
    index.add(many, numbers);
    CHECK(numbers.front() == 3);
    CHECK(numbers.back() == 5002);
    index.add(many, numbers);
    CHECK(numbers[1234] == 1237);
    CHECK(index.keys().size() == 5003);
    CHECK(index.keys()[2] == 0);
}

TEST_CASE("every place is visited once, whatever the threads and blocks") {
    for (const int threads : {0, 1, 3, 8}) {
        for (const std::size_t block : {0, 1, 7, 1000}) {
            std::vector<std::atomic<int>> visits(101);
            std::atomic<bool> worker_in_range{true};
            parallel_blocks(visits.size(), block, threads,
                            [&](std::size_t begin, std::size_t end, int worker) {
                                if (worker < 0 || worker >= std::max(threads, 1)) worker_in_range = false;
                                for (std::size_t k = begin; k < end; ++k) ++visits[k];
                            });
            CHECK(worker_in_range);
            for (const auto& visit : visits) CHECK(visit == 1);
        }
    }
    parallel_blocks(0, 4, 2, [](std::size_t, std::size_t, int) { FAIL("there is nothing to visit"); });
}

TEST_CASE("an exception in a thread reaches the caller") {
    for (const int threads : {1, 4})
        CHECK_THROWS_AS(parallel_blocks(100, 1, threads,
                                        [](std::size_t begin, std::size_t, int) {
                                            if (begin <= 50) throw std::domain_error("at 50");
                                        }),
                        std::domain_error);
}

TEST_SUITE_END();
