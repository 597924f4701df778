#include "sentence.hpp"

namespace storymeter::meteor {

Sentence Analyser::analyse(std::string_view line) {
    line = trim(line);
    if (!lexicon_.normalizes()) {
        text_ = line;
        split_words(text_, tokens_);
    } else if (!split_plain(line, text_, tokens_)) {
        text_ = normalize(line, tables_);
        split_words(text_, tokens_);
    }
    const std::size_t count = tokens_.size();
    phrases_.resize(count);
    Sentence sentence(&memory_);
    sentence.hashes.resize(count);
    sentence.stems.resize(count);
    sentence.synsets.resize(count);
    sentence.function.resize(count);
    const auto two_words = [&](std::size_t k) {
        return k > 0 && phrases_[k - 1].grows && phrases_[k].node != kNone;
    };
    for (std::size_t k = 0; k < count; ++k) {
        const Word& word = lexicon_.word(tokens_[k].in(text_), tokens_[k].hash);
        sentence.hashes[k] = tokens_[k].hash;
        sentence.stems[k] = word.stem;
        sentence.synsets[k] = word.synsets;
        sentence.function[k] = word.function;
        sentence.function_words += word.function;
        phrases_[k] = word.phrase;
        if (two_words(k)) lexicon_.prefetch_cache(phrases_[k - 1].node, phrases_[k].node);
    }
    for (std::size_t k = 1; k < count; ++k) {
        if (two_words(k)) lexicon_.prefetch_table(phrases_[k - 1].node, phrases_[k].node);
    }
    find_phrases(sentence);
    return sentence;
}

// From every word on, as long as the table knows the phrase.
void Analyser::find_phrases(Sentence& sentence) {
    const auto count = static_cast<std::uint32_t>(phrases_.size());
    found_.clear();
    for (std::uint32_t start = 0; start < count; ++start) {
        Phrase phrase = phrases_[start];
        for (std::uint32_t length = 1; phrase.node != kNone; ++length) {
            found_.push_back({phrase.node, start, phrase.list, phrase.count & 0xFFFFFF, length & 0xFF});
            if (!phrase.grows || start + length == count || phrases_[start + length].node == kNone) break;
            phrase = lexicon_.longer(phrase.node, phrases_[start + length].node);
        }
    }
    sentence.occurrences.assign(found_.begin(), found_.end());
}

std::vector<std::string> Analyser::words() const {
    std::vector<std::string> out;
    for (const Token& token : tokens_) out.emplace_back(token.in(text_));
    return out;
}

}  // namespace storymeter::meteor
