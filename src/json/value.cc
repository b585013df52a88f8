#include "json/value.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "base/strings.h"

namespace proa::json {
namespace value {

constexpr uint32_t kFirstCapacity = 4;

uint32_t grown(uint32_t capacity) {
  CHECK(capacity <= std::numeric_limits<uint32_t>::max() / 2);
  return std::max(kFirstCapacity, capacity * 2);
}

// The order of keys does not matter, but is mostly the same.
bool same_members(const Value& one, const Value& other) {
  const std::span<const Member> ours = one.members();
  const std::span<const Member> theirs = other.members();
  for (size_t i = 0; i < ours.size(); ++i) {
    const bool same_place = same_text(theirs[i].key, ours[i].key);
    const Value* found = same_place ? &theirs[i].value : other.find(ours[i].key);
    if (found == nullptr || !(ours[i].value == *found)) return false;
  }
  return true;
}

}  // namespace value

bool Value::as_bool() const {
  CHECK(is(Kind::kBool));
  return content_.flag;
}

int64_t Value::as_int() const {
  CHECK(is(Kind::kInt));
  return content_.integer;
}

double Value::as_double() const {
  CHECK(is_number());
  return is(Kind::kInt) ? static_cast<double>(content_.integer) : content_.number;
}

std::string_view Value::as_string() const {
  CHECK(is(Kind::kString));
  return {content_.text, size_};
}

std::span<const Value> Value::items() const {
  if (!is(Kind::kArray) || size_ == 0) return {};
  return {content_.array->items(), size_};
}

std::span<Value> Value::items() {
  if (!is(Kind::kArray) || size_ == 0) return {};
  return {content_.array->items(), size_};
}

void Value::reserve_items(Arena& arena, uint32_t capacity) {
  auto* block = static_cast<ArrayBlock*>(
      arena.allocate(sizeof(ArrayBlock) + size_t{capacity} * sizeof(Value), alignof(ArrayBlock)));
  new (block) ArrayBlock{capacity};
  const auto old = items();
  std::uninitialized_move(old.begin(), old.end(), block->items());
  content_.array = block;
}

void Value::insert(Arena& arena, size_t index, Value item) {
  CHECK(is(Kind::kArray) && index <= size_);
  const uint32_t capacity = content_.array == nullptr ? 0 : content_.array->capacity;
  if (size_ == capacity) reserve_items(arena, value::grown(capacity));
  Value* const items = content_.array->items();
  new (items + size_) Value;
  std::move_backward(items + index, items + size_, items + size_ + 1);
  items[index] = std::move(item);
  ++size_;
}

void Value::erase(size_t index) {
  CHECK(is(Kind::kArray) && index < size_);
  Value* const items = content_.array->items();
  std::move(items + index + 1, items + size_, items + index);
  --size_;
}

Member* Value::first_member() const { return content_.object->members(); }

std::span<const Member> Value::members() const {
  if (!is(Kind::kObject) || size_ == 0) return {};
  return {first_member(), size_};
}

Member* Value::position(std::string_view key) const {
  if (!is(Kind::kObject) || size_ == 0) return nullptr;
  Member* const members = first_member();
  if (!content_.object->index.empty()) {
    return content_.object->index.find(members, key);
  }
  for (Member* member = members; member != members + size_; ++member) {
    if (same_text(member->key, key)) return member;
  }
  return nullptr;
}

const Value* Value::find(std::string_view key) const {
  const Member* member = position(key);
  return member == nullptr ? nullptr : &member->value;
}

Value* Value::find(std::string_view key) {
  Member* member = position(key);
  return member == nullptr ? nullptr : &member->value;
}

void Value::reserve_members(Arena& arena, uint32_t capacity) {
  auto* block = static_cast<ObjectBlock*>(arena.allocate(
      sizeof(ObjectBlock) + size_t{capacity} * sizeof(Member), alignof(ObjectBlock)));
  new (block) ObjectBlock{capacity, {}};
  if (size_ > 0) {
    std::uninitialized_move_n(first_member(), size_, block->members());
  }
  content_.object = block;
  if (capacity > KeyIndex::kWorthwhile)
    block->index.build(arena, block->members(), size_, capacity);
}

Value& Value::set(Arena& arena, std::string_view key, Value value) {
  if (Value* present = find(key)) return *present = std::move(value);
  return set_borrowed(arena, arena.copy(key), std::move(value));
}

Value& Value::set_borrowed(Arena& arena, std::string_view key, Value value) {
  CHECK(is(Kind::kObject));
  if (Value* present = find(key)) return *present = std::move(value);
  const uint32_t capacity = content_.object == nullptr ? 0 : content_.object->capacity;
  if (size_ == capacity) reserve_members(arena, value::grown(capacity));
  Member* const members = first_member();
  new (members + size_) Member{key, std::move(value)};
  if (!content_.object->index.empty()) content_.object->index.add(members, size_);
  return members[size_++].value;
}

bool Value::remove(std::string_view key) {
  CHECK(is(Kind::kObject));
  Member* const member = position(key);
  if (member == nullptr) return false;
  Member* const members = first_member();
  if (!content_.object->index.empty()) {
    content_.object->index.remove(members, static_cast<uint32_t>(member - members));
  }
  std::move(member + 1, members + size_, member);
  --size_;
  return true;
}

Value Value::copy(Arena& arena) const {
  switch (kind_) {
    case Kind::kNull:
      return {};
    case Kind::kBool:
      return boolean(content_.flag);
    case Kind::kInt:
      return integer(content_.integer);
    case Kind::kDouble:
      return number(content_.number);
    case Kind::kString:
      return string(arena, as_string());
    case Kind::kArray: {
      Value result = array();
      if (size_ > 0) result.reserve_items(arena, size_);
      for (const Value& item : items()) result.push_back(arena, item.copy(arena));
      return result;
    }
    case Kind::kObject: {
      Value result = object();
      if (size_ > 0) result.reserve_members(arena, size_);
      for (const Member& member : members()) {
        Member* const last = result.first_member() + result.size_;
        new (last) Member{arena.copy(member.key), member.value.copy(arena)};
        KeyIndex& index = result.content_.object->index;
        if (!index.empty()) index.add(result.first_member(), result.size_);
        ++result.size_;
      }
      return result;
    }
  }
  return {};
}

bool Value::operator==(const Value& other) const {
  if (is_number() && other.is_number()) {
    if (is(Kind::kInt) && other.is(Kind::kInt)) return content_.integer == other.content_.integer;
    return as_double() == other.as_double();
  }
  if (kind_ != other.kind_) return false;
  switch (kind_) {
    case Kind::kBool:
      return content_.flag == other.content_.flag;
    case Kind::kString:
      return same_text(as_string(), other.as_string());
    case Kind::kArray:
      return std::ranges::equal(items(), other.items());
    case Kind::kObject:
      return size_ == other.size_ && value::same_members(*this, other);
    default:
      return true;
  }
}

size_t Value::depth() const {
  size_t deepest = 0;
  for (const Value& item : items()) deepest = std::max(deepest, item.depth());
  for (const Member& member : members()) deepest = std::max(deepest, member.value.depth());
  return is(Kind::kArray) || is(Kind::kObject) ? deepest + 1 : 0;
}

Document Document::copy() const {
  Arena arena;
  Value root = root_.copy(arena);
  return {std::move(arena), std::move(root)};
}

}  // namespace proa::json
