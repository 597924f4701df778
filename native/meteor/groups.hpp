// Members 0, 1, 2, … in groups that have a number: lists all members with the same word, stem or synset.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace storymeter::meteor {

class Groups {
  public:
    void clear(std::size_t expected_members) {
        const std::size_t size = std::bit_ceil(4 * expected_members + 16);
        newest_.assign(size, kNobody);
        seen_.assign(size / 8, 0);
        shift_ = static_cast<std::uint32_t>(32 - std::countr_zero(size));
        members_.clear();
        members_.reserve(expected_members);
    }

    // The next member joins a group.
    void add(std::uint32_t group) {
        const std::uint32_t hash = group * kMix;
        std::uint32_t& newest = newest_[hash >> shift_];
        seen_[hash >> (shift_ + 3)] |= bit(hash);
        members_.push_back({group, newest});
        newest = static_cast<std::uint32_t>(members_.size() - 1);
    }

    bool empty(std::uint32_t group) const {
        std::uint32_t member = newest_[group * kMix >> shift_];
        while (member != kNobody && members_[member].group != group) member = members_[member].older;
        return member == kNobody;
    }

    // The members of a group, the newest first.
    template <typename Body>
    void each(std::uint32_t group, Body&& body) const {
        const std::uint32_t hash = group * kMix;
        if (!(seen_[hash >> (shift_ + 3)] & bit(hash)))
            return;  // nearly always right, and quicker than to look
        for (std::uint32_t member = newest_[hash >> shift_]; member != kNobody;
             member = members_[member].older) {
            if (members_[member].group == group) body(member);
        }
    }

  private:
    static constexpr std::uint32_t kNobody = 0xFFFFFFFF, kMix = 0x9E3779B1;
    struct Member {
        std::uint32_t group, older;  // the next older one of the same bucket
    };
    std::vector<std::uint32_t> newest_;
    std::vector<std::uint64_t> seen_;  // eight bits per bucket
    std::uint32_t shift_ = 0;
    std::vector<Member> members_;

    std::uint64_t bit(std::uint32_t hash) const { return std::uint64_t{1} << (hash >> (shift_ - 3) & 63); }
};

}  // namespace storymeter::meteor
