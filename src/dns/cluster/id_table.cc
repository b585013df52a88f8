#include "dns/cluster/id_table.h"

#include <utility>

namespace proa::dns {

void IdTable::grow() {
  constexpr size_t kFirst = 64;
  std::vector<Slot> before =
      std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirst : slots_.size() * 2));
  for (const Slot& slot : before) {
    if (slot.id == kFree) continue;
    size_t at = slot.hash & mask();
    while (slots_[at].id != kFree) at = (at + 1) & mask();
    slots_[at] = slot;
  }
}

void IdTable::add(uint32_t hash, uint32_t id) {
  if ((size_ + 1) * 4 > slots_.size() * 3) grow();
  size_t at = hash & mask();
  for (; slots_[at].id != kFree; at = (at + 1) & mask()) {
    if (slots_[at].hash == hash && slots_[at].id == id) return;
  }
  slots_[at] = {.hash = hash, .id = id};
  ++size_;
}

void IdTable::remove(uint32_t hash, uint32_t id) {
  if (slots_.empty()) return;
  size_t at = hash & mask();
  while (slots_[at].hash != hash || slots_[at].id != id) {
    if (slots_[at].id == kFree) return;
    at = (at + 1) & mask();
  }
  --size_;
  // What follows moves up, unless it stands where it belongs or behind.
  for (size_t next = (at + 1) & mask(); slots_[next].id != kFree; next = (next + 1) & mask()) {
    const size_t home = slots_[next].hash & mask();
    if (((next - home) & mask()) < ((next - at) & mask())) continue;
    slots_[at] = slots_[next];
    at = next;
  }
  slots_[at] = {};
}

}  // namespace proa::dns
