#include "item_grams.hpp"

namespace storymeter {

void ItemGrams::clear() {
    if (++turn_ == 0) {  // after four billion items
        slots_.assign(slots_.size(), Slot{});
        turn_ = 1;
    }
    nodes_.clear();
    uses_.clear();
    lengths_.clear();
    counted_.clear();
    bounds_.fill(0);
}

void ItemGrams::add_reference(std::span<const std::uint32_t> words) {
    count<true>(words);
    const auto reference = static_cast<std::uint32_t>(lengths_.size());
    for (const std::uint32_t number : counted_) {
        Node& node = nodes_[number];
        uses_.push_back({reference, node.count, node.uses});
        node.uses = static_cast<std::uint32_t>(uses_.size() - 1);
    }
    lengths_.push_back(static_cast<std::uint32_t>(words.size()));
}

template <bool All>
void ItemGrams::count(std::span<const std::uint32_t> words) {
    for (const std::uint32_t number : counted_) nodes_[number].count = 0;
    counted_.clear();
    bounds_.fill(0);
    at_.assign(words.size(), kNone);
    for (std::size_t order = 1; order <= kOrders; ++order) {
        for (std::size_t i = 0; i + order <= words.size(); ++i) {
            if (!All && order > 1 && at_[i] == kNone) continue;  // nothing extends what no reference holds
            const std::uint32_t number = extended<All>(at_[i], words[i + order - 1]);
            at_[i] = number;
            if (number != kNone && nodes_[number].count++ == 0) counted_.push_back(number);
        }
        bounds_[order] = counted_.size();
    }
}

template void ItemGrams::count<true>(std::span<const std::uint32_t>);
template void ItemGrams::count<false>(std::span<const std::uint32_t>);

template <bool All>
std::uint32_t ItemGrams::extended(std::uint32_t prefix, std::uint32_t word) {
    const std::uint64_t key = static_cast<std::uint64_t>(prefix) << 32 | word;
    std::size_t at = place(key);
    if (slots_[at].turn == turn_) return slots_[at].node;
    if (!All) return kNone;
    if ((nodes_.size() + 1) * 2 > slots_.size()) {
        grow();
        at = place(key);
    }
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    slots_[at] = {key, number, turn_};
    nodes_.push_back({prefix, word});
    return number;
}

std::size_t ItemGrams::place(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    std::size_t i = h & mask;
    while (slots_[i].turn == turn_ && slots_[i].key != key) i = (i + 1) & mask;
    return i;
}

void ItemGrams::grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.turn == turn_) slots_[place(slot.key)] = slot;
}

}  // namespace storymeter
