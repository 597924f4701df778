// The n-grams of one item: those of its references, with the references that hold them, and those of the
// candidates that were counted since. A few kilobytes that stay in the processor's first cache; one per
// thread, used again for the next item.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "index.hpp"

namespace storymeter {

class ItemGrams {
  public:
    static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

    struct Node {
        std::uint32_t prefix;        // the n-gram that this one extends, kNone for a single word
        std::uint32_t word;          // by this word
        std::uint32_t count = 0;     // in the text that was counted last
        std::uint32_t uses = kNone;  // the first of the references that hold it
        std::uint32_t id = kNone;    // its number in the corpus, once `known`
        bool known = false;
        double weight = 0.0;  // of one occurrence, once `known`
    };
    struct Use {
        std::uint32_t reference, count, next;
    };

    void clear();
    // Takes the n-grams of a reference (the words' numbers).
    void add_reference(std::span<const std::uint32_t> words);
    std::size_t references() const { return lengths_.size(); }
    std::uint32_t length(std::size_t reference) const { return lengths_[reference]; }

    // Counts the n-grams of a text: count<true> keeps all of them, count<false> those of the references only.
    template <bool All>
    void count(std::span<const std::uint32_t> words);
    // The distinct n-grams of the counted text, of one order (1-4).
    std::span<const std::uint32_t> counted(int order) const {
        return std::span(counted_).subspan(bounds_[order - 1], bounds_[order] - bounds_[order - 1]);
    }
    std::size_t size() const { return nodes_.size(); }
    Node& node(std::uint32_t number) { return nodes_[number]; }
    template <typename Take>
    void each_use(const Node& node, Take&& take) const {
        for (std::uint32_t u = node.uses; u != kNone; u = uses_[u].next) take(uses_[u]);
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t node = 0;
        std::uint32_t turn = 0;  // a slot of an earlier item is empty
    };
    template <bool All>
    std::uint32_t extended(std::uint32_t prefix, std::uint32_t word);
    std::size_t place(std::uint64_t key) const;
    void grow();

    std::vector<Slot> slots_ = std::vector<Slot>(512);
    std::uint32_t turn_ = 1;
    std::vector<Node> nodes_;
    std::vector<Use> uses_;
    std::vector<std::uint32_t> lengths_;
    std::vector<std::uint32_t> at_;       // the n-gram that begins at each word
    std::vector<std::uint32_t> counted_;  // by order
    std::array<std::size_t, kOrders + 1> bounds_{};
};

}  // namespace storymeter
