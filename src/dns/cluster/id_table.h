#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace proa::dns {

// Ids by the hash of what they have: several for one hash, each of them once. Eight bytes an entry,
// since there is one for every address of every endpoint.
class IdTable {
 public:
  void add(uint32_t hash, uint32_t id);
  void remove(uint32_t hash, uint32_t id);
  size_t size() const { return size_; }

  // Calls `visit` with each id of that hash until it returns true; whether it did.
  template <typename Visit>
  bool find(uint32_t hash, const Visit& visit) const {
    if (slots_.empty()) return false;
    for (size_t at = hash & mask(); slots_[at].id != kFree; at = (at + 1) & mask()) {
      if (slots_[at].hash == hash && visit(slots_[at].id)) return true;
    }
    return false;
  }

 private:
  static constexpr uint32_t kFree = ~0U;
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = kFree;
  };
  size_t mask() const { return slots_.size() - 1; }
  void grow();

  std::vector<Slot> slots_;  // a power of two, never full
  size_t size_ = 0;
};

}  // namespace proa::dns
