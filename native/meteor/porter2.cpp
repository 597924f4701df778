#include "porter2.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace storymeter::meteor {
namespace {

using View = std::u16string_view;

bool vowel(char16_t c) { return c == u'a' || c == u'e' || c == u'i' || c == u'o' || c == u'u' || c == u'y'; }

struct Rule {
    View suffix, replacement;
};

constexpr std::array kWholeWords{
    Rule{u"skis", u"ski"},    Rule{u"skies", u"sky"},   Rule{u"dying", u"die"},    Rule{u"lying", u"lie"},
    Rule{u"tying", u"tie"},   Rule{u"idly", u"idl"},    Rule{u"gently", u"gentl"}, Rule{u"ugly", u"ugli"},
    Rule{u"early", u"earli"}, Rule{u"only", u"onli"},   Rule{u"singly", u"singl"}, Rule{u"sky", u"sky"},
    Rule{u"news", u"news"},   Rule{u"howe", u"howe"},   Rule{u"atlas", u"atlas"},  Rule{u"cosmos", u"cosmos"},
    Rule{u"bias", u"bias"},   Rule{u"andes", u"andes"},
};
constexpr std::array<View, 8> kInvariantAfter1a{u"inning",  u"outing",  u"canning", u"herring",
                                                u"earring", u"proceed", u"exceed",  u"succeed"};

constexpr std::array kStep2{
    Rule{u"tional", u"tion"}, Rule{u"enci", u"ence"},   Rule{u"anci", u"ance"},   Rule{u"abli", u"able"},
    Rule{u"entli", u"ent"},   Rule{u"izer", u"ize"},    Rule{u"ization", u"ize"}, Rule{u"ational", u"ate"},
    Rule{u"ation", u"ate"},   Rule{u"ator", u"ate"},    Rule{u"alism", u"al"},    Rule{u"aliti", u"al"},
    Rule{u"alli", u"al"},     Rule{u"fulness", u"ful"}, Rule{u"ousli", u"ous"},   Rule{u"ousness", u"ous"},
    Rule{u"iveness", u"ive"}, Rule{u"iviti", u"ive"},   Rule{u"biliti", u"ble"},  Rule{u"bli", u"ble"},
    Rule{u"ogi", u"og"},      Rule{u"fulli", u"ful"},   Rule{u"lessli", u"less"}, Rule{u"li", u""},
};
constexpr std::array kStep3{
    Rule{u"tional", u"tion"}, Rule{u"ational", u"ate"}, Rule{u"alize", u"al"},
    Rule{u"icate", u"ic"},    Rule{u"iciti", u"ic"},    Rule{u"ical", u"ic"},
    Rule{u"ful", u""},        Rule{u"ness", u""},       Rule{u"ative", u""},
};
constexpr std::array kStep4{
    Rule{u"al", u""},   Rule{u"ance", u""}, Rule{u"ence", u""}, Rule{u"er", u""},    Rule{u"ic", u""},
    Rule{u"able", u""}, Rule{u"ible", u""}, Rule{u"ant", u""},  Rule{u"ement", u""}, Rule{u"ment", u""},
    Rule{u"ent", u""},  Rule{u"ism", u""},  Rule{u"ate", u""},  Rule{u"iti", u""},   Rule{u"ous", u""},
    Rule{u"ive", u""},  Rule{u"ize", u""},  Rule{u"ion", u""},
};

class Stemmer {
  public:
    explicit Stemmer(View word) : word_(word) {}

    std::u16string run() {
        prelude();
        mark_regions();
        step_1a();
        bool invariant = false;
        for (const View w : kInvariantAfter1a) invariant = invariant || word_ == w;
        if (!invariant) {
            step_1b();
            step_1c();
            step_2();
            step_3();
            step_4();
            step_5();
        }
        if (y_found_) {
            for (auto& c : word_) {
                if (c == u'Y') c = u'y';
            }
        }
        return std::move(word_);
    }

  private:
    std::u16string word_;
    std::size_t p1_ = 0, p2_ = 0;
    bool y_found_ = false;

    bool ends(View suffix) const { return View(word_).ends_with(suffix); }
    // where the suffix would begin
    std::size_t stem_size(View suffix) const { return word_.size() - suffix.size(); }
    void replace(View suffix, View with) { word_.replace(stem_size(suffix), suffix.size(), with); }
    bool has_vowel(std::size_t end) const {
        for (std::size_t k = 0; k < end; ++k) {
            if (vowel(word_[k])) return true;
        }
        return false;
    }

    // a short syllable ends at `end`: consonant, vowel, consonant other than w, x, Y; or vowel, consonant at
    // the start
    bool short_syllable(std::size_t end) const {
        if (end >= 3) {
            const char16_t c = word_[end - 1];
            if (!vowel(c) && c != u'w' && c != u'x' && c != u'Y' && vowel(word_[end - 2]) &&
                !vowel(word_[end - 3]))
                return true;
        }
        return end == 2 && !vowel(word_[1]) && vowel(word_[0]);
    }

    // The longest of the suffixes that the word ends in, or nullptr.
    template <std::size_t N>
    const Rule* longest(const std::array<Rule, N>& rules) const {
        const Rule* best = nullptr;
        for (const Rule& rule : rules) {
            if (ends(rule.suffix) && (!best || rule.suffix.size() > best->suffix.size())) best = &rule;
        }
        return best;
    }

    void prelude() {
        if (word_.front() == u'\'') word_.erase(0, 1);
        for (std::size_t k = 0; k < word_.size(); ++k) {
            if (word_[k] == u'y' && (k == 0 || vowel(word_[k - 1]))) {
                word_[k] = u'Y';
                y_found_ = true;
            }
        }
    }

    // just past the first non-vowel that follows a vowel, or the end
    std::size_t region(std::size_t begin) const {
        std::size_t k = begin;
        while (k < word_.size() && !vowel(word_[k])) ++k;
        while (k < word_.size() && vowel(word_[k])) ++k;
        return k < word_.size() ? k + 1 : word_.size();
    }

    void mark_regions() {
        const View word = word_;
        if (word.starts_with(u"gener") || word.starts_with(u"arsen")) {
            p1_ = 5;
        } else if (word.starts_with(u"commun")) {
            p1_ = 6;
        } else {
            p1_ = region(0);
        }
        p2_ = region(p1_);
    }

    void step_1a() {
        if (ends(u"'s'")) {
            replace(u"'s'", u"");
        } else if (ends(u"'s")) {
            replace(u"'s", u"");
        } else if (ends(u"'")) {
            replace(u"'", u"");
        }
        if (ends(u"sses")) {
            replace(u"sses", u"ss");
        } else if (ends(u"ied") || ends(u"ies")) {
            word_.replace(word_.size() - 3, 3, word_.size() >= 5 ? View(u"i") : View(u"ie"));
        } else if (ends(u"us") || ends(u"ss")) {
            return;
        } else if (ends(u"s") && word_.size() >= 2 && has_vowel(word_.size() - 2)) {
            word_.pop_back();
        }
    }

    void step_1b() {
        for (const View suffix : {View(u"eedly"), View(u"eed")}) {
            if (ends(suffix)) {
                if (stem_size(suffix) >= p1_) replace(suffix, u"ee");
                return;
            }
        }
        for (const View suffix : {View(u"ingly"), View(u"edly"), View(u"ing"), View(u"ed")}) {
            if (!ends(suffix)) continue;
            if (!has_vowel(stem_size(suffix))) return;
            replace(suffix, u"");
            if (ends(u"at") || ends(u"bl") || ends(u"iz")) {
                word_.push_back(u'e');
            } else if (doubled()) {
                word_.pop_back();
            } else if (word_.size() == p1_ && short_syllable(word_.size())) {
                word_.push_back(u'e');
            }
            return;
        }
    }

    bool doubled() const {
        const std::size_t n = word_.size();
        return n >= 2 && word_[n - 1] == word_[n - 2] && View(u"bdfgmnprt").find(word_[n - 1]) != View::npos;
    }

    void step_1c() {
        const std::size_t n = word_.size();
        if (n >= 3 && (word_[n - 1] == u'y' || word_[n - 1] == u'Y') && !vowel(word_[n - 2]))
            word_[n - 1] = u'i';
    }

    void step_2() {
        const Rule* rule = longest(kStep2);
        if (!rule || stem_size(rule->suffix) < p1_) return;
        const std::size_t stem = stem_size(rule->suffix);
        if (rule->suffix == u"ogi" && (stem == 0 || word_[stem - 1] != u'l')) return;
        if (rule->suffix == u"li" && (stem == 0 || View(u"cdeghkmnrt").find(word_[stem - 1]) == View::npos))
            return;
        replace(rule->suffix, rule->replacement);
    }

    void step_3() {
        const Rule* rule = longest(kStep3);
        if (!rule || stem_size(rule->suffix) < p1_) return;
        if (rule->suffix == u"ative" && stem_size(rule->suffix) < p2_) return;
        replace(rule->suffix, rule->replacement);
    }

    void step_4() {
        const Rule* rule = longest(kStep4);
        if (!rule || stem_size(rule->suffix) < p2_) return;
        const std::size_t stem = stem_size(rule->suffix);
        if (rule->suffix == u"ion" && (stem == 0 || (word_[stem - 1] != u's' && word_[stem - 1] != u't')))
            return;
        replace(rule->suffix, u"");
    }

    void step_5() {
        if (word_.empty()) return;
        const std::size_t stem = word_.size() - 1;
        if (word_.back() == u'e') {
            if (stem >= p2_ || (stem >= p1_ && !short_syllable(stem))) word_.pop_back();
        } else if (word_.back() == u'l') {
            if (stem >= p2_ && stem > 0 && word_[stem - 1] == u'l') word_.pop_back();
        }
    }
};

}  // namespace

std::u16string porter2(std::u16string_view word) {
    for (const Rule& rule : kWholeWords) {
        if (word == rule.suffix) return std::u16string(rule.replacement);
    }
    if (word.size() < 3) return std::u16string(word);
    return Stemmer(word).run();
}

}  // namespace storymeter::meteor
