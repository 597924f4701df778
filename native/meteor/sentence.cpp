#include "sentence.hpp"

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

void prefetch(const Sentence& sentence, const Tables& tables) {
    for (const SynsetSet& set : sentence.synsets) tables.prefetch(tables.at(set.offset));
    for (const Occurrence& o : sentence.occurrences) {
        for (std::uint32_t k = 0; k < o.count; k += 16) tables.prefetch(tables.at(o.list + k));
    }
}

void Analyser::word(std::string_view token, std::size_t k, Sentence& out) {
    const std::uint32_t id = tables_.find(token, out.hashes[k]);
    std::span<const std::uint32_t> synsets;
    bool function = false;
    if (id != kNone) {
        out.stems[k] = tables_.stem_hash(id);
        function = tables_.function_word(id);
        synsets = tables_.synsets(id);
    } else {
        out.stems[k] = stem_hash(token);
        const std::string base =
            base_form(token, to_utf16(decode_utf8(token)).size(), [&](std::string_view form) {
                const std::uint32_t key = tables_.find(form, java_hash(form));
                return key != kNone && tables_.synset_key(key);
            });
        const std::uint32_t key = tables_.find(base, java_hash(base));
        if (key != kNone) synsets = tables_.own_synsets(key);
    }
    if (!normalize_ && !function) {  // the list of function words is in lower case; the text need not be
        const std::string folded = lower_case(token);
        const std::uint32_t key = tables_.find(folded, java_hash(folded));
        function = key != kNone && tables_.function_word(key);
    }
    if (!synsets.empty())
        out.synsets[k] = {tables_.offset(synsets.data()), static_cast<std::uint32_t>(synsets.size())};
    out.function[k] = function;
    out.function_words += function;
    ids_[k] = tables_.node(id);  // from here on only words of phrases count
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
    Sentence sentence(&memory_);
    sentence.hashes.resize(count);
    sentence.stems.resize(count);
    sentence.synsets.resize(count);
    sentence.function.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        sentence.hashes[k] = java_hash(tokens_[k]);
        tables_.prefetch_word(sentence.hashes[k]);
    }
    for (const std::uint32_t hash : sentence.hashes) tables_.prefetch_entry(hash);
    for (std::size_t k = 0; k < count; ++k) {
        word(tokens_[k], k, sentence);
        if (k > 0 && ids_[k - 1] != kNone && ids_[k] != kNone) tables_.prefetch_pair(ids_[k - 1], ids_[k]);
    }
    find_phrases(sentence);
    return sentence;
}

// All phrases of one word, then of two, and so on: the look-ups of one length do not wait for each other.
void Analyser::find_phrases(Sentence& sentence) {
    const auto count = static_cast<std::uint32_t>(ids_.size());
    const auto grows = [&](const Occurrence& o, std::uint32_t length) {
        return o.start + length < count && ids_[o.start + length] != kNone;
    };
    found_.clear();
    ends_.assign(count + std::size_t{1}, 0);
    const auto add = [&](std::uint32_t node, std::uint32_t start, std::uint32_t length) {
        found_.push_back({node, start, 0, 0, length & 0xFF});  // phrases have few words
        ++ends_[start];
        tables_.prefetch_node(node);
    };
    for (std::uint32_t start = 0; start < count; ++start) {
        if (ids_[start] != kNone) add(ids_[start], start, 1);
    }
    std::size_t begin = 0;
    for (std::uint32_t length = 1; begin < found_.size(); ++length) {
        const std::size_t end = found_.size();
        for (std::size_t k = begin; k < end; ++k) {
            if (grows(found_[k], length))
                tables_.prefetch_child(found_[k].node, ids_[found_[k].start + length]);
        }
        for (std::size_t k = begin; k < end; ++k) {
            const Occurrence o = found_[k];
            if (!grows(o, length)) continue;
            const std::uint32_t node = tables_.child(o.node, ids_[o.start + length]);
            if (node != kNone) add(node, o.start, length + 1);
        }
        begin = end;
    }
    for (const Occurrence& o : found_) tables_.prefetch_list(o.node);
    // a stable counting sort by start
    for (std::uint32_t start = 0, sum = 0; start <= count; ++start) sum += std::exchange(ends_[start], sum);
    sentence.occurrences.resize(found_.size());
    for (Occurrence o : found_) {
        const auto list = tables_.paraphrases(o.node);
        o.list = tables_.offset(list.data());
        o.count = static_cast<std::uint32_t>(list.size()) & 0xFFFFFF;
        sentence.occurrences[ends_[o.start]++] = o;
    }
}

}  // namespace storymeter::meteor
