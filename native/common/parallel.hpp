// Run a loop body over [0, count) on a number of threads, in blocks handed out by an atomic counter.
// The result must not depend on which thread ran which block; exceptions are rethrown in the caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace storymeter {

// body(begin, end, worker): worker is 0 .. threads-1, for per-thread scratch space.
template <typename Body>
void parallel_blocks(std::size_t count, std::size_t block, int threads, Body&& body) {
    block = std::max<std::size_t>(block, 1);
    const std::size_t blocks = (count + block - 1) / block;
    const auto workers =
        static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), blocks));
    if (workers <= 1) {
        if (count > 0) body(std::size_t{0}, count, 0);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto work = [&](int worker) {
        try {
            for (std::size_t b; (b = next.fetch_add(1)) < blocks;) {
                const std::size_t begin = b * block;
                body(begin, std::min(count, begin + block), worker);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
            next.store(blocks);
        }
    };
    std::vector<std::thread> pool;
    pool.reserve(static_cast<std::size_t>(workers) - 1);
    try {
        for (int worker = 1; worker < workers; ++worker) pool.emplace_back(work, worker);
    } catch (const std::system_error&) {  // the system grants no more: those that run share the work
    }
    work(0);
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace storymeter
