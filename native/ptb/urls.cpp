// URLs, e-mail addresses, handles and hash tags. Runs are remembered in the Text: a line costs linear time.
#include <algorithm>
#include <string_view>

#include "rules.hpp"

namespace storymeter::ptb {
namespace {

// Two or more URL characters at i, the last of them not in .!?,-{} ; the longest such stretch, or 0.
std::size_t url_rest(const Text& t, std::size_t i, unsigned kind) {
    std::size_t n = t.run(i, kind);
    while (n > 0 && t.any_of(i + n - 1, ".!?,-{}")) --n;
    return n >= 2 ? n : 0;
}

std::size_t path(const Text& t, std::size_t i) {
    const std::size_t n = t.at(i) == '/' ? url_rest(t, i + 1, kPath) : 0;
    return n != 0 ? 1 + n : 0;
}

std::size_t ascii_letters(const Text& t, std::size_t i, std::size_t most) {
    std::size_t n = 0;
    while (n < most && t.is(i + n, kLetter)) ++n;
    return n;
}

// Finds the run of host characters and single dots around i, and in it the last dot behind which `ending`
// matches.
template <typename Ending>
void find_host(const Text& t, std::size_t i, unsigned kind, Text::Run& run, Ending&& ending) {
    if (run.holds(i)) return;
    std::size_t end = i;
    run = {i, i, 0, 0};
    while (t.is(end, kind) || (t.at(end) == '.' && end > i && t.at(end - 1) != '.')) {
        if (t.at(end) == '.') {
            if (const std::size_t n = ending(end + 1)) run.mark = end, run.stop = end + 1 + n;
        }
        ++end;
    }
    run.end = std::max(end, i + 1);
}

}  // namespace

Match url(const Text& t, std::size_t i) {
    std::size_t scheme = t.literal(i, "http");
    if (scheme == 0) return {};
    scheme += t.literal(i + scheme, "s");
    const std::size_t slashes = t.literal(i + scheme, "://");
    const std::size_t rest = slashes != 0 ? url_rest(t, i + scheme + slashes, kUrl) : 0;
    return rest != 0 ? whole(scheme + slashes + rest) : Match{};
}

Match likely_url(const Text& t, std::size_t i) {
    std::size_t stop = 0;
    if (t.is(i, kHost)) {
        find_host(t, i, kHost, t.host, [&](std::size_t at) {
            for (const std::string_view domain : {"com", "net", "org", "edu"}) {
                if (const std::size_t n = t.literal(at, domain)) return n;
            }
            return std::size_t{0};
        });
        if (t.host.mark > i) stop = t.host.stop + path(t, t.host.stop);
    }
    if (t.literal(i, "www.") != 0 && t.is(i + 4, kWww)) {
        const auto domain = [&](std::size_t at) {
            const std::size_t n = ascii_letters(t, at, 4);
            return n >= 2 ? n : 0;
        };
        find_host(t, i + 4, kWww, t.www, domain);
        find_host(t, i + 4, kWww, t.www_path, [&](std::size_t at) {
            const std::size_t n = domain(at);
            return n != 0 && t.at(at + n) == '/' && t.is(at + n + 1, kPath) ? n : 0;
        });
        for (const Text::Run* run : {&t.www, &t.www_path}) {
            if (run->mark > i + 4) stop = std::max(stop, run->stop + path(t, run->stop));
        }
    }
    return stop != 0 ? whole(stop - i) : Match{};
}

Match mail(const Text& t, std::size_t i) {
    const std::size_t start = i + (t.at(i) == '<' ? 1 : t.literal(i, "&lt;"));
    if (!t.is(start, kAlphanumeric)) return {};
    if (!t.mail.holds(start)) {  // the run around start; remember its last @ with a domain behind it, and
                                 // where that ends
        std::size_t end = start, at = 0;
        for (; t.is(end, kMail); ++end) {
            if (t.at(end) == '@' && t.is(end + 1, kMail) && t.at(end + 1) != '.') at = end;
        }
        std::size_t stop = at + 1;
        while (at != 0 && t.is(stop, kMail) &&
               (t.at(stop) != '.' || (t.is(stop + 1, kMail) && t.at(stop + 1) != '.')))
            ++stop;
        t.mail = {start, end, at, stop};
    }
    if (t.mail.mark <= start) return {};
    const std::size_t close = t.at(t.mail.stop) == '>' ? 1 : t.literal(t.mail.stop, "&gt;");
    return whole(t.mail.stop + close - i);
}

Match handle(const Text& t, std::size_t i) {
    if (t.at(i) != '@') return {};
    std::size_t n = 1;
    while (t.is(i + n, kAlphanumeric) || t.at(i + n) == '_') ++n;
    return n > 1 && !t.any_of(i + 1, "0123456789") ? whole(n) : Match{};
}

Match hash_tag(const Text& t, std::size_t i) {
    if (t.at(i) != '#') return {};
    const std::size_t n = letters(t, i + 1);
    return n != 0 ? whole(n + 1) : Match{};
}

}  // namespace storymeter::ptb
