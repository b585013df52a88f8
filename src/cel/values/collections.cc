#include "cel/values/collections.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/text/seeded_hash.h"
#include "cel/values/compare.h"
#include "cel/values/list_sum.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace collections {

// Smaller maps are searched one by one.
constexpr uint32_t kIndexedSize = 12;
constexpr uint64_t kLongestList = 10'000'000;
// Sums of lists this short are copied, which is faster than finding items in two lists.
constexpr uint32_t kCopiedSize = 16;

template <typename T>
uint64_t hash_bits(T bits) {
  return seeded_hash({reinterpret_cast<const char*>(&bits), sizeof(bits)});
}

uint64_t hash_double(double number) {
  constexpr double kBeyondInt = 9223372036854775808.0;
  constexpr double kBeyondUint = 18446744073709551616.0;
  if (std::trunc(number) == number) {
    if (number >= -kBeyondInt && number < kBeyondInt) {
      return hash_bits(static_cast<int64_t>(number));
    }
    if (number > 0 && number < kBeyondUint) return hash_bits(static_cast<uint64_t>(number));
  }
  return hash_bits(number);
}

// Equal keys have equal hashes: numbers are hashed by their value. Clients choose the keys: the
// hash differs between processes.
uint64_t hash(const Value& key) {
  switch (key.kind()) {
    case ValueKind::kInt:
    case ValueKind::kDuration:
    case ValueKind::kTimestamp:
      return hash_bits(key.as_int());
    case ValueKind::kUint:
      return hash_bits(key.as_uint());
    case ValueKind::kDouble:
      return hash_double(key.as_double());
    case ValueKind::kString:
    case ValueKind::kBytes:
      return seeded_hash(key.text());
    default:
      return 1;
  }
}

// Among the first `size` entries.
const MapEntry* find(const MapBuffer& map, uint32_t size, const Value& key) {
  if (map.slots == 0) {
    for (uint32_t i = 0; i < size; ++i) {
      if (equal(map.entries[i].key, key)) return &map.entries[i];
    }
    return nullptr;
  }
  const uint32_t mask = map.slots - 1;
  for (uint64_t slot = hash(key) & mask;; slot = (slot + 1) & mask) {
    if (map.index[slot] == 0) return nullptr;
    const uint32_t position = map.index[slot] - 1;
    if (!equal(map.entries[position].key, key)) continue;
    return position < size ? &map.entries[position] : nullptr;
  }
}

bool is_too_long(const Value& left, const Value& right) {
  return uint64_t{left.size()} + right.size() > kLongestList;
}

ListBuffer* new_buffer(Arena& arena, uint32_t capacity) {
  auto* items = static_cast<Value*>(arena.allocate(sizeof(Value) * capacity, alignof(Value)));
  return new (arena.allocate(sizeof(ListBuffer), alignof(ListBuffer)))
      ListBuffer{.items = items,
                 .used = 0,
                 .capacity = capacity,
                 .grown = false,
                 .shape = nullptr,
                 .owner = &arena};
}

void append_all(ListBuffer& buffer, const Value& list) {
  for (uint32_t i = 0; i < list.size(); ++i) {
    new (&buffer.items[buffer.used++]) Value(list_item(list, i));
  }
}

// A list that ends where its buffer ends, with a few more items; nullopt if it does not, or its
// items were copied once already: a loop that adds to the same list again and again must not copy
// it each time.
std::optional<Value> appended(Arena& arena, const Value& left, const Value& right) {
  if (left.is_json() || left.is_typed() || left.is_sum()) return std::nullopt;
  // The evaluation owns its buffers; nobody else sees items beyond `used`.
  auto* buffer = const_cast<ListBuffer*>(left.as_list());
  if (buffer->owner != &arena || buffer->used != left.size()) return std::nullopt;
  const uint32_t size = left.size() + right.size();
  if (size > buffer->capacity) {
    if (std::exchange(buffer->grown, true)) return std::nullopt;
    buffer = new_buffer(arena, std::max<uint32_t>(8, size + size / 2));
    append_all(*buffer, left);
  }
  append_all(*buffer, right);
  return Value::list(buffer, size);
}

}  // namespace collections

Value list_item(const Value& list, uint32_t index) {
  if (list.is_sum()) return sum_item(list, index);
  if (list.is_json()) return from_json(list.as_json()->items()[index]);
  if (list.is_typed()) return typed_item(list, index);
  return list.as_list()->items[index];
}

Value make_list(Arena& arena, uint32_t size, std::span<Value>& items) {
  ListBuffer* buffer = collections::new_buffer(arena, size);
  for (uint32_t i = 0; i < size; ++i) new (&buffer->items[i]) Value();
  buffer->used = size;
  items = {buffer->items, size};
  return Value::list(buffer, size);
}

Value make_list(Arena& arena, std::span<const Value> items) {
  std::span<Value> places;
  const Value list = make_list(arena, static_cast<uint32_t>(items.size()), places);
  std::copy(items.begin(), items.end(), places.begin());
  return list;
}

Value concatenate(Arena& arena, const Value& left, const Value& right) {
  const Shape* shape = list_shape(left);
  if (shape != nullptr && (shape->list == ListKind::kSet || shape->list == ListKind::kMap)) {
    return typed_sum(arena, left, right);
  }
  if (shape == nullptr && left.size() == 0) return right;
  if (shape == nullptr && right.size() == 0) return left;
  if (collections::is_too_long(left, right)) return Value::error("list is too long");
  if (shape == nullptr && right.size() <= collections::kCopiedSize) {
    if (const auto list = collections::appended(arena, left, right)) return *list;
  }
  const Value added =
      shape == nullptr || right.size() == 0 ? right : adopting(arena, right, *shape->element);
  const uint32_t size = left.size() + right.size();
  if (size > collections::kCopiedSize) return sum_of_lists(arena, left, added, shape);
  ListBuffer* buffer = collections::new_buffer(arena, std::max<uint32_t>(8, size + size / 2));
  collections::append_all(*buffer, left);
  collections::append_all(*buffer, added);
  buffer->shape = shape;
  return Value::list(buffer, size);
}

Value map_key(const Value& map, uint32_t index) {
  if (map.is_json()) return Value::string(map.as_json()->members()[index].key);
  if (map.is_typed()) return typed_key(map, index);
  return map.as_map()->entries[index].key;
}

Value map_value(const Value& map, uint32_t index) {
  if (map.is_json()) return from_json(map.as_json()->members()[index].value);
  if (map.is_typed()) return typed_member(map, index);
  return map.as_map()->entries[index].value;
}

std::optional<Value> map_find(const Value& map, const Value& key) {
  if (map.is_typed()) return typed_find(map, key);
  if (map.is_json()) {
    if (!key.is(ValueKind::kString)) return std::nullopt;
    const json::Value* found = map.as_json()->find(key.text());
    if (found == nullptr) return std::nullopt;
    return from_json(*found);
  }
  const MapEntry* entry = collections::find(*map.as_map(), map.size(), key);
  if (entry == nullptr) return std::nullopt;
  return entry->value;
}

Value with_fallback(Arena& arena, const Value& map, const Value& fallback) {
  auto* buffer =
      new (arena.allocate(sizeof(MapBuffer), alignof(MapBuffer))) MapBuffer(*map.as_map());
  buffer->owner = nullptr;  // its entries are shared: nobody adds to them
  buffer->fallback = new (arena.allocate(sizeof(Value), alignof(Value))) Value(fallback);
  return Value::map(buffer);
}

MapBuilder::MapBuilder(Arena& arena, uint32_t expected)
    : arena_(arena),
      buffer_(new (arena.allocate(sizeof(MapBuffer), alignof(MapBuffer)))
                  MapBuffer{.entries = nullptr,
                            .size = 0,
                            .capacity = 0,
                            .slots = 0,
                            .index = nullptr,
                            .owner = &arena}) {
  reserve(std::max<uint32_t>(expected, 4));
}

MapBuilder::MapBuilder(Arena& arena, const Value& map, uint32_t more) : arena_(arena) {
  if (!map.is_json() && !map.is_typed()) {
    // The evaluation owns its buffers; nobody else sees entries beyond those of its map.
    auto* buffer = const_cast<MapBuffer*>(map.as_map());
    if (buffer->owner == &arena && buffer->size == map.size()) {
      buffer_ = buffer;
      slots_ = const_cast<uint32_t*>(buffer->index);
      return;
    }
  }
  MapBuilder copy(arena, map.size() + more);
  for (uint32_t i = 0; i < map.size(); ++i) copy.insert(map_key(map, i), map_value(map, i));
  buffer_ = copy.buffer_;
  slots_ = copy.slots_;
}

void MapBuilder::reserve(uint32_t capacity) {
  auto* entries =
      static_cast<MapEntry*>(arena_.allocate(sizeof(MapEntry) * capacity, alignof(MapEntry)));
  std::copy(buffer_->entries, buffer_->entries + buffer_->size, entries);
  buffer_->entries = entries;
  buffer_->capacity = capacity;
  if (capacity < collections::kIndexedSize) return;
  uint32_t slots = 32;
  while (slots < capacity * 2) slots *= 2;
  slots_ = static_cast<uint32_t*>(arena_.allocate(sizeof(uint32_t) * slots, alignof(uint32_t)));
  std::memset(slots_, 0, sizeof(uint32_t) * slots);
  buffer_->slots = slots;
  buffer_->index = slots_;
  for (uint32_t i = 0; i < buffer_->size; ++i) index(i);
}

void MapBuilder::index(uint32_t position) {
  const uint32_t mask = buffer_->slots - 1;
  uint64_t slot = collections::hash(buffer_->entries[position].key) & mask;
  while (slots_[slot] != 0) slot = (slot + 1) & mask;
  slots_[slot] = position + 1;
}

MapEntry* MapBuilder::find(const Value& key) const {
  return const_cast<MapEntry*>(collections::find(*buffer_, buffer_->size, key));
}

std::optional<Value> MapBuilder::find_value(const Value& key) const {
  const MapEntry* entry = find(key);
  return entry == nullptr ? std::nullopt : std::optional(entry->value);
}

void MapBuilder::append(const Value& key, const Value& value) {
  if (buffer_->size == buffer_->capacity) reserve(buffer_->capacity * 2);
  buffer_->entries[buffer_->size] = {.key = key, .value = value};
  if (buffer_->slots != 0) index(buffer_->size);
  ++buffer_->size;
}

void MapBuilder::set(const Value& key, const Value& value) {
  if (MapEntry* entry = find(key)) {
    entry->value = value;
  } else {
    append(key, value);
  }
}

bool MapBuilder::insert(const Value& key, const Value& value) {
  if (find(key) != nullptr) return false;
  append(key, value);
  return true;
}

void MapBuilder::remove(const Value& key) {
  const MapEntry* entry = find(key);
  if (entry == nullptr) return;
  const auto position = static_cast<uint32_t>(entry - buffer_->entries);
  std::copy(buffer_->entries + position + 1, buffer_->entries + buffer_->size,
            buffer_->entries + position);
  --buffer_->size;
  if (buffer_->slots == 0) return;
  std::memset(slots_, 0, sizeof(uint32_t) * buffer_->slots);
  for (uint32_t i = 0; i < buffer_->size; ++i) index(i);
}

Value MapBuilder::build() { return Value::map(buffer_); }

}  // namespace proa::cel
