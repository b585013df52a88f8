#pragma once

#include <optional>
#include <span>

#include "cel/values/value.h"

namespace proa::cel {

// Lists and maps, whether they were built in the arena or lie in a JSON document.

// REQUIRES: a list, and index < size().
Value list_item(const Value& list, uint32_t index);
// A list of copies of the items.
Value make_list(Arena& arena, std::span<const Value> items);
// A list of `size` nulls; `items` are its items, to be set before anyone else sees the list.
Value make_list(Arena& arena, uint32_t size, std::span<Value>& items);
// Both lists, in order. The left one stays as it is. Takes some steps, however long they are:
// adding lists has a fixed price. An error if the list became longer than any that the cost of an
// expression pays for.
Value concatenate(Arena& arena, const Value& left, const Value& right);

// The entry at a position: in order of insertion. REQUIRES: a map, and index < size().
Value map_key(const Value& map, uint32_t index);
Value map_value(const Value& map, uint32_t index);
// Numbers are found whatever their type is: 1, 1u and 1.0 are the same key. The value can be an
// error: it does not have the format of its schema.
std::optional<Value> map_find(const Value& map, const Value& key);

// The same map, but selections of keys that it does not have give another value. REQUIRES: a map
// that was built.
Value with_fallback(Arena& arena, const Value& map, const Value& fallback);

// Collects the entries of a map; a later value of a key replaces the earlier one.
class MapBuilder {
 public:
  MapBuilder(Arena& arena, uint32_t expected);
  // Goes on from the entries of a map, which stays as it is: they are copied only if others were
  // added to them already. REQUIRES: only insert() is used.
  MapBuilder(Arena& arena, const Value& map, uint32_t more);
  void set(const Value& key, const Value& value);
  // False if the key is there already.
  bool insert(const Value& key, const Value& value);
  void remove(const Value& key);
  bool contains(const Value& key) const { return find(key) != nullptr; }
  std::optional<Value> find_value(const Value& key) const;
  Value build();

 private:
  MapEntry* find(const Value& key) const;
  void reserve(uint32_t capacity);
  void append(const Value& key, const Value& value);
  void index(uint32_t position);

  Arena& arena_;
  MapBuffer* buffer_ = nullptr;
  uint32_t* slots_ = nullptr;
};

}  // namespace proa::cel
