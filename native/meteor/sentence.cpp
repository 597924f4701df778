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

Word Analyser::word(std::string_view token, std::uint32_t hash, std::uint32_t& id) const {
    Word out{};
    out.hash = hash;
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
    out.synsets = tables_.offset(synsets.data());
    out.synset_count = static_cast<std::uint32_t>(synsets.size()) & 0x7FFFFFFF;
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
    const std::size_t count = tokens_.size();
    ids_.resize(count);
    hashes_.resize(count);
    for (std::size_t k = 0; k < count; ++k) {  // memory is the bottleneck: ask for the slots ahead
        hashes_[k] = java_hash(tokens_[k]);
        tables_.prefetch_word(hashes_[k]);
    }
    Sentence sentence;
    sentence.words.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        sentence.words[k] = word(tokens_[k], hashes_[k], ids_[k]);
        sentence.function_words += sentence.words[k].function;
        if (tables_.node(ids_[k]) == kNone) {
            ids_[k] = kNone;  // from here on only words of phrases count
        } else if (k > 0 && ids_[k - 1] != kNone) {
            tables_.prefetch_pair(ids_[k - 1], ids_[k]);
        }
    }
    find_phrases(sentence);
    return sentence;
}

void Analyser::find_phrases(Sentence& sentence) const {
    sentence.occurrences.reserve(2 * ids_.size());
    for (std::uint32_t start = 0; start < ids_.size(); ++start) {
        std::uint32_t node = ids_[start];
        for (std::uint32_t length = 1; node != kNone; ++length) {
            sentence.occurrences.push_back({node, start, length, {}});
            const std::size_t next = start + length;
            if (next >= ids_.size() || ids_[next] == kNone) break;
            node = tables_.child(node, ids_[next]);
        }
    }
    for (const Occurrence& o : sentence.occurrences) tables_.prefetch_list(o.node);
    for (Occurrence& o : sentence.occurrences) o.paraphrases = tables_.paraphrases(o.node);
}

}  // namespace storymeter::meteor
