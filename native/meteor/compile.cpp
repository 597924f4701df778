#include "compile.hpp"

#include <algorithm>
#include <charconv>

#include "table_writer.hpp"
#include "words.hpp"

namespace storymeter::meteor {
namespace {

template <typename Body>
void for_lines(std::string_view file, Body&& body) {
    while (!file.empty()) {
        const std::size_t end = std::min(file.find('\n'), file.size());
        std::string_view line = file.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        body(line);
        file.remove_prefix(std::min(end + 1, file.size()));
    }
}

template <typename Body>
void for_words(std::string_view line, Body&& body) {
    for (std::size_t k = 0; k < line.size();) {
        const std::size_t end = std::min(line.find(' ', k), line.size());
        if (end > k) body(line.substr(k, end - k));
        k = end + 1;
    }
}

}  // namespace

std::uint32_t Vocabulary::intern(std::string_view word) {
    const std::uint32_t hash = java_hash(word), mask = static_cast<std::uint32_t>(slots_.size() - 1);
    std::uint32_t slot = mix32(hash) & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t k = slots_[slot] - 1;
        if (hashes_[k] == hash && (*this)[k] == word) return k;
    }
    slots_[slot] = size() + 1;
    bytes_.append(word);
    offsets_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    hashes_.push_back(hash);
    if (hashes_.size() * 2 > slots_.size()) grow();
    return size() - 1;
}

std::uint32_t Vocabulary::find(std::string_view word) const {
    const std::uint32_t hash = java_hash(word), mask = static_cast<std::uint32_t>(slots_.size() - 1);
    for (std::uint32_t slot = mix32(hash) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t k = slots_[slot] - 1;
        if (hashes_[k] == hash && (*this)[k] == word) return k;
    }
    return kNoWord;
}

void Vocabulary::grow() {
    slots_.assign(slots_.size() * 2, 0);
    const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
    for (std::uint32_t k = 0; k < size(); ++k) {
        std::uint32_t slot = mix32(hashes_[k]) & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = k + 1;
    }
}

std::uint32_t GrowingTrie::child(std::uint32_t parent, std::uint32_t word) {
    const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
    std::uint32_t slot = pair_hash(parent, word) & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const std::uint32_t k = slots_[slot] - 1;
        if (parents_[k] == parent && labels_[k] == word) return kFirst + k;
    }
    slots_[slot] = size() + 1;
    parents_.push_back(parent);
    labels_.push_back(static_cast<std::uint16_t>(word));
    const std::uint32_t made = kFirst + size() - 1;
    if (parents_.size() * 10 > slots_.size() * 7) grow();
    return made;
}

void GrowingTrie::grow() {
    slots_.assign(slots_.size() * 2, 0);
    const auto mask = static_cast<std::uint32_t>(slots_.size() - 1);
    for (std::uint32_t k = 0; k < size(); ++k) {
        std::uint32_t slot = pair_hash(parents_[k], labels_[k]) & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = k + 1;
    }
}

void Compiler::paraphrases(std::string_view piece) {
    if (phrase_words_) throw SourceError("the paraphrases must come first");
    if (!rest_.empty()) {
        const std::size_t end = piece.find('\n');
        rest_.append(piece.substr(0, end));
        if (end == std::string_view::npos) return;
        triple_line(rest_);
        rest_.clear();
        piece.remove_prefix(end + 1);
    }
    const std::size_t last = piece.rfind('\n');
    if (last == std::string_view::npos) {
        rest_ = piece;
        return;
    }
    for_lines(piece.substr(0, last), [&](std::string_view line) { triple_line(line); });
    rest_ = piece.substr(last + 1);
}

// Lines come in threes: probability (not used), phrase, paraphrase; all triples of a phrase follow each
// other.
void Compiler::triple_line(std::string_view line) {
    const std::uint64_t kind = line_++ % 3;
    if (kind == 0) return;
    if (kind == 2) {
        entries_.push_back(phrase_node(line));
        return;
    }
    if (line == phrase_text_ && !phrases_.empty()) return;
    phrase_text_ = line;
    phrases_.push_back(phrase_node(line));
    list_begins_.push_back(static_cast<std::uint32_t>(entries_.size()));
}

std::uint32_t Compiler::phrase_node(std::string_view phrase) {
    std::uint32_t node = 0;
    bool first = true;
    for_words(phrase, [&](std::string_view text) {
        const std::uint32_t word = words_.intern(text);
        if (word >= GrowingTrie::kFirst - 1)
            throw SourceError("the paraphrase table has too many distinct words");
        node = first ? word : trie_.child(node, word);
        first = false;
    });
    if (first) throw SourceError("an empty phrase in the paraphrase table, line " + std::to_string(line_));
    return node;
}

void Compiler::close_paraphrases() {
    if (phrase_words_) return;
    if (!rest_.empty()) triple_line(rest_);
    rest_.clear();
    if (line_ % 3 != 0 || line_ == 0)
        throw SourceError("the paraphrase table is cut short: " + std::to_string(line_) +
                          " lines are no whole number of triples");
    phrase_words_ = words_.size();
    list_begins_.push_back(static_cast<std::uint32_t>(entries_.size()));
    flags_.resize(words_.size());
}

std::uint32_t Compiler::other_word(std::string_view word) {
    close_paraphrases();
    const std::uint32_t k = words_.intern(word);
    if (k >= flags_.size()) flags_.resize(k + 1);
    return k;
}

void Compiler::function_words(std::string_view file) {
    for_lines(file, [&](std::string_view line) {
        if (!line.empty()) flags_[other_word(line)] |= kFunctionWord;
    });
}

void Compiler::prefixes(std::string_view file) {
    for_lines(file, [&](std::string_view line) {
        if (line.empty() || line.front() == '#') return;
        const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
        const bool numeric = line.substr(blank).find("#NUMERIC_ONLY#") != std::string_view::npos;
        flags_[other_word(line.substr(0, blank))] |= numeric ? kPrefixNumeric : kPrefixAlways;
    });
}

void Compiler::synsets(std::string_view file) {
    std::uint32_t word = 0;
    bool ids = false;
    for_lines(file, [&](std::string_view line) {
        if (!ids) {
            word = other_word(line);
            flags_[word] |= kSynsetKey;
        } else {
            auto& own = own_synsets_[word];
            for_words(line, [&](std::string_view text) {
                std::uint32_t id = 0;
                const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
                if (error != std::errc() || end != text.data() + text.size())
                    throw SourceError("a synset id is no number: " + std::string(text));
                own.push_back(id);
            });
        }
        ids = !ids;
    });
    if (ids) throw SourceError("the synset file is cut short");
}

void Compiler::exceptions(std::string_view file) {
    std::uint32_t base = 0;
    bool forms = false;
    for_lines(file, [&](std::string_view line) {
        if (!forms) {
            base = other_word(line);
        } else {
            for_words(line, [&](std::string_view form) { bases_[other_word(form)].push_back(base); });
        }
        forms = !forms;
    });
    if (forms) throw SourceError("the file of exceptions is cut short");
}

// synsets[w] and those of its bases if it is an irregular form, otherwise those of its base form.
std::vector<std::uint32_t> Compiler::synset_set(std::uint32_t word) const {
    std::vector<std::uint32_t> all;
    const auto add = [&](std::uint32_t k) {
        if (const auto own = own_synsets_.find(k); own != own_synsets_.end())
            all.insert(all.end(), own->second.begin(), own->second.end());
    };
    add(word);
    if (const auto irregular = bases_.find(word); irregular != bases_.end()) {
        for (const std::uint32_t base : irregular->second) add(base);
    } else if (const std::uint32_t base = find_base(words_, flags_, words_[word]); base != kNoWord) {
        add(base);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

std::vector<std::byte> Compiler::finish(std::string_view source_digest) {
    close_paraphrases();
    TableWriter out(source_digest, words_.size(), phrase_words_);
    write_words(out, words_, flags_);
    std::vector<std::uint32_t> set_bounds{0}, set_ids, own_bounds{0}, own_ids;
    for (std::uint32_t k = 0; k < words_.size(); ++k) {
        const auto set = synset_set(k);
        set_ids.insert(set_ids.end(), set.begin(), set.end());
        set_bounds.push_back(static_cast<std::uint32_t>(set_ids.size()));
        if (const auto own = own_synsets_.find(k); own != own_synsets_.end()) {
            auto sorted = own->second;
            std::sort(sorted.begin(), sorted.end());
            own_ids.insert(own_ids.end(), sorted.begin(), sorted.end());
        }
        own_bounds.push_back(static_cast<std::uint32_t>(own_ids.size()));
    }
    out.add(kSynsetSets, set_bounds);
    out.add(kSynsetIds, set_ids);
    out.add(kOwnSets, own_bounds);
    out.add(kOwnIds, own_ids);
    write_phrases(out, trie_, phrase_words_, phrases_, list_begins_, entries_);
    return out.finish();
}

}  // namespace storymeter::meteor
