#include "sentence.hpp"

#include "../utf8.hpp"
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

Word Analyser::word(std::string_view token, std::uint32_t& id) const {
    Word out{};
    out.hash = java_hash(token);
    id = tables_.find(token, out.hash);
    std::span<const std::uint32_t> synsets;
    if (id != kNone) {
        out.stem = tables_.stem_hash(id);
        out.function = tables_.function_word(id);
        synsets = tables_.synsets(id);
    } else {
        out.stem = stem_hash(token);
        const std::string base = base_form(token, to_utf16(decode_utf8(token)).size(), [&](std::string_view form) {
            const std::uint32_t k = tables_.find(form, java_hash(form));
            return k != kNone && tables_.synset_key(k);
        });
        const std::uint32_t k = tables_.find(base, java_hash(base));
        if (k != kNone) synsets = tables_.own_synsets(k);
    }
    if (!normalize_ && !out.function) {  // the list of function words is in lower case; the text need not be
        const std::string folded = lower_case(token);
        const std::uint32_t k = tables_.find(folded, java_hash(folded));
        out.function = k != kNone && tables_.function_word(k);
    }
    out.synsets = synsets.data();
    out.synset_count = static_cast<std::uint32_t>(synsets.size());
    for (const std::uint32_t synset : synsets) out.synset_bits |= std::uint64_t{1} << (mix32(synset) & 63);
    return out;
}

Sentence Analyser::analyse(std::string_view line) {
    line = trim(line);
    if (normalize_) {
        if (!normalize_plain(line, buffer_)) buffer_ = normalize(line, tables_);
        line = buffer_;
    }
    split_words(line, tokens_);
    Sentence sentence;
    sentence.words.resize(tokens_.size());
    ids_.resize(tokens_.size());
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
        sentence.words[k] = word(tokens_[k], ids_[k]);
        sentence.function_words += sentence.words[k].function;
    }
    for (std::uint32_t start = 0; start < ids_.size(); ++start) {
        if (ids_[start] == kNone) continue;
        std::uint32_t node = tables_.node(ids_[start]);
        for (std::uint32_t length = 1; node != kNone; ++length) {
            sentence.occurrences.push_back({node, start, length, tables_.paraphrases(node)});
            const std::size_t next = start + length;
            if (next >= ids_.size() || ids_[next] == kNone || tables_.node(ids_[next]) == kNone) break;
            node = tables_.child(node, ids_[next]);
        }
    }
    return sentence;
}

}  // namespace storymeter::meteor
