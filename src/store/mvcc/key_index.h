#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace proa::store {

// A hash table of pointers to objects that know their key: nine bytes per slot, while
// std::unordered_set takes six times that per element. Open addressing, linear probing. KeyOf
// returns the key of a `const T&`, which must not change while the object is in the table.
template <typename T, typename KeyOf>
class KeyIndex {
 public:
  // Null if there is none.
  const T* find(std::string_view key) const {
    if (slots_.empty()) return nullptr;
    const size_t hash = hash_of(key);
    for (size_t at = hash & mask(); slots_[at] != nullptr; at = next(at)) {
      if (tags_[at] == tag_of(hash) && KeyOf()(*slots_[at]) == key) return slots_[at];
    }
    return nullptr;
  }

  // REQUIRES: no object with this key is in the table.
  void insert(const T& thing) {
    // At most three quarters full: probes stay short.
    if ((size_ + 1) * 4 > slots_.size() * 3) grow();
    place(thing);
    ++size_;
  }

  // REQUIRES: it is in the table, and its key is unchanged.
  void erase(const T& thing) {
    size_t hole = home(thing);
    while (slots_[hole] != &thing) hole = next(hole);
    // Later entries move up, unless that would put them before their home slot.
    for (size_t at = next(hole); slots_[at] != nullptr; at = next(at)) {
      const bool stays = ((at - home(*slots_[at])) & mask()) < ((at - hole) & mask());
      if (stays) continue;
      slots_[hole] = slots_[at];
      tags_[hole] = tags_[at];
      hole = at;
    }
    slots_[hole] = nullptr;
    --size_;
  }

  size_t size() const { return size_; }

 private:
  static size_t hash_of(std::string_view key) { return std::hash<std::string_view>{}(key); }
  // The bits that do not choose the slot.
  static uint8_t tag_of(size_t hash) { return static_cast<uint8_t>(hash >> 56); }
  size_t mask() const { return slots_.size() - 1; }
  size_t next(size_t at) const { return (at + 1) & mask(); }
  size_t home(const T& thing) const { return hash_of(KeyOf()(thing)) & mask(); }

  void place(const T& thing) {
    const size_t hash = hash_of(KeyOf()(thing));
    size_t at = hash & mask();
    while (slots_[at] != nullptr) at = next(at);
    slots_[at] = &thing;
    tags_[at] = tag_of(hash);
  }

  void grow() {
    std::vector<const T*> old(slots_.empty() ? 16 : slots_.size() * 2, nullptr);
    old.swap(slots_);
    tags_.assign(slots_.size(), 0);
    for (const T* thing : old) {
      if (thing != nullptr) place(*thing);
    }
  }

  std::vector<const T*> slots_;  // size: a power of two
  // A byte of each hash: the object itself, elsewhere in memory, is compared only if this matches.
  std::vector<uint8_t> tags_;
  size_t size_ = 0;
};

}  // namespace proa::store
