#include "lexicon.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "common/utf8.hpp"
#include "lower.hpp"
#include "words.hpp"

namespace storymeter::meteor {
namespace {

std::string lower_case(std::string_view text) {
    std::u32string out;
    for (const char32_t point : decode_utf8(text)) append_lower(out, point);
    return encode_utf8(out);
}

}  // namespace

Lexicon::Lexicon(const Tables& tables, bool normalize)
    : tables_(tables),
      normalize_(normalize),
      words_(std::size_t{1} << kWordBits),
      phrases_(std::size_t{1} << kPhraseBits) {}

const Word& Lexicon::word(std::string_view token, std::uint32_t hash) {
    if (token.size() > kLongest) return long_word_ = look_up(token, hash);
    const std::size_t at = mix32(hash) >> (32 - kWordBits);
    for (const KnownWord* known : {&words_[at], &words_[at ^ 1]}) {
        if (known->hash == hash && known->length == token.size() &&
            std::memcmp(known->text, token.data(), token.size()) == 0)
            return known->word;
    }
    if (words_[at].length <= kLongest) words_[at ^ 1] = words_[at];
    KnownWord& fresh = words_[at];
    fresh.word = look_up(token, hash);
    fresh.hash = hash;
    fresh.length = static_cast<std::uint8_t>(token.size());
    std::memcpy(fresh.text, token.data(), token.size());
    return fresh.word;
}

Phrase Lexicon::look_up(std::uint32_t node, std::uint32_t word) {
    const Phrase found = phrase(tables_.child(node, word));
    if (word > 0xFFFF || found.count > 0x7FFF) return found;  // no table has these
    KnownPhrase* const line = phrases_[place(node, word)].phrases;
    std::copy_backward(line, line + 3, line + 4);
    line[0].node = node;
    line[0].longer = found.node;
    line[0].list = found.list;
    line[0].word = static_cast<std::uint16_t>(word);
    line[0].count = found.count & 0x7FFF;
    line[0].grows = found.grows;
    return found;
}

Phrase Lexicon::phrase(std::uint32_t node) const {
    if (node == kNone) return {};
    const auto list = tables_.paraphrases(node);
    return {node, tables_.offset(list.data()), static_cast<std::uint32_t>(list.size()),
            tables_.has_children(node)};
}

Word Lexicon::look_up(std::string_view token, std::uint32_t hash) const {
    Word out;
    const std::uint32_t id = tables_.find(token, hash);
    std::span<const std::uint32_t> synsets;
    if (id != kNone) {
        out.stem = tables_.stem_hash(id);
        out.function = tables_.function_word(id);
        synsets = tables_.synsets(id);
    } else {
        out.stem = stem_hash(token);
        const std::string base =
            base_form(token, to_utf16(decode_utf8(token)).size(), [&](std::string_view form) {
                const std::uint32_t key = tables_.find(form, java_hash(form));
                return key != kNone && tables_.synset_key(key);
            });
        const std::uint32_t key = tables_.find(base, java_hash(base));
        if (key != kNone) synsets = tables_.own_synsets(key);
    }
    if (!normalize_ && !out.function) {  // the list of function words is in lower case; the text need not be
        const std::string folded = lower_case(token);
        const std::uint32_t key = tables_.find(folded, java_hash(folded));
        out.function = key != kNone && tables_.function_word(key);
    }
    if (!synsets.empty())
        out.synsets = {tables_.offset(synsets.data()), static_cast<std::uint32_t>(synsets.size())};
    out.phrase = phrase(tables_.node(id));
    return out;
}

std::unique_ptr<Lexicon> LexiconPool::take(bool normalize) {
    {
        const std::lock_guard<std::mutex> guard(lock_);
        const auto found = std::find_if(resting_.begin(), resting_.end(), [&](const auto& lexicon) {
            return lexicon->normalizes() == normalize;
        });
        if (found != resting_.end()) {
            std::unique_ptr<Lexicon> lexicon = std::move(*found);
            resting_.erase(found);
            return lexicon;
        }
    }
    return std::make_unique<Lexicon>(tables_, normalize);
}

void LexiconPool::put_back(std::unique_ptr<Lexicon> lexicon) {
    constexpr std::size_t most = 16;  // each takes some five megabytes
    const std::lock_guard<std::mutex> guard(lock_);
    if (resting_.size() < most) resting_.push_back(std::move(lexicon));
}

}  // namespace storymeter::meteor
