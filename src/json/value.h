#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "json/arena.h"
#include "json/key_index.h"

namespace proa::json {

enum class Kind : uint8_t { kNull, kBool, kInt, kDouble, kString, kArray, kObject };

// Deeper documents are rejected everywhere, so that code over a tree may recurse.
inline constexpr size_t kMaxDepth = 512;

struct Member;

// A JSON value whose contents lie in an arena. Move-only, so that no part of a tree is in two
// places; copy() makes a deep copy. Numbers are int64 if they fit, else double, as Kubernetes reads
// them. Objects keep the order of their keys.
class Value {
 public:
  constexpr Value() = default;
  Value(Value&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNull)),
        size_(std::exchange(other.size_, 0)),
        content_(other.content_) {}
  Value& operator=(Value&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    content_ = other.content_;
    const Kind kind = std::exchange(other.kind_, Kind::kNull);
    kind_ = kind;
    return *this;
  }
  ~Value() = default;

  static Value boolean(bool flag);
  static Value integer(int64_t number);
  // REQUIRES: finite.
  static Value number(double number);
  static Value string(Arena& arena, std::string_view text) { return borrowed(arena.copy(text)); }
  // REQUIRES: `text` outlives the value: a literal, or text in the same arena.
  static Value borrowed(std::string_view text);
  static Value array();
  static Value object();

  Kind kind() const { return kind_; }
  bool is(Kind kind) const { return kind_ == kind; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_number() const { return kind_ == Kind::kInt || kind_ == Kind::kDouble; }

  // REQUIRES: a value of that kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;  // also of an integer
  std::string_view as_string() const;

  // The number of items or members; zero for other kinds.
  size_t size() const { return is(Kind::kArray) || is(Kind::kObject) ? size_ : 0; }

  // The items of an array; none for other kinds.
  std::span<const Value> items() const;
  std::span<Value> items();
  // REQUIRES: an array; index <= size() for insert, < size() for the others.
  void push_back(Arena& arena, Value item) { insert(arena, size(), std::move(item)); }
  void insert(Arena& arena, size_t index, Value item);
  void erase(size_t index);

  // The members of an object, in order; none for other kinds.
  std::span<const Member> members() const;
  // Null if this is not an object or has no such key.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  // Sets the value of a key: in place if the key exists, else at the end. The key is copied into
  // the arena. REQUIRES: an object.
  Value& set(Arena& arena, std::string_view key, Value value);
  // The same for a key that already lies in the arena.
  Value& set_borrowed(Arena& arena, std::string_view key, Value value);
  // False if there is no such key. Other members keep their order. REQUIRES: an object.
  bool remove(std::string_view key);

  // A deep copy in another arena.
  Value copy(Arena& arena) const;

  // The order of keys does not matter; 1 equals 1.0.
  bool operator==(const Value& other) const;

  // The nesting depth; zero for a scalar.
  size_t depth() const;

 private:
  friend class Builder;
  struct ArrayBlock;
  struct ObjectBlock;

  void reserve_items(Arena& arena, uint32_t capacity);
  void reserve_members(Arena& arena, uint32_t capacity);
  Member* position(std::string_view key) const;
  Member* first_member() const;

  Kind kind_ = Kind::kNull;
  uint32_t size_ = 0;  // bytes of a string, items of an array or object
  union Content {
    bool flag;
    int64_t integer = 0;
    double number;
    const char* text;
    ArrayBlock* array;    // null while empty
    ObjectBlock* object;  // null while empty
  } content_;
};

struct Member {
  std::string_view key;
  Value value;
};

// The layout of arrays and objects in an arena; for this unit and Builder.

// Items follow directly.
struct alignas(Value) Value::ArrayBlock {
  uint32_t capacity;
  Value* items() { return reinterpret_cast<Value*>(this + 1); }
};

// Members follow directly.
struct Value::ObjectBlock {
  uint32_t capacity;
  KeyIndex index;  // empty while the object is small
  Member* members() { return reinterpret_cast<Member*>(this + 1); }
};

inline Value Value::boolean(bool flag) {
  Value value;
  value.kind_ = Kind::kBool;
  value.content_.flag = flag;
  return value;
}

inline Value Value::integer(int64_t number) {
  Value value;
  value.kind_ = Kind::kInt;
  value.content_.integer = number;
  return value;
}

inline Value Value::number(double number) {
  CHECK(std::isfinite(number));
  Value value;
  value.kind_ = Kind::kDouble;
  value.content_.number = number;
  return value;
}

inline Value Value::borrowed(std::string_view text) {
  Value value;
  value.kind_ = Kind::kString;
  // Sizes have 32 bits: input is limited to far less, and our own code never builds such text.
  CHECK(text.size() <= std::numeric_limits<uint32_t>::max());
  value.size_ = static_cast<uint32_t>(text.size());
  value.content_.text = text.data();
  return value;
}

inline Value Value::array() {
  Value value;
  value.kind_ = Kind::kArray;
  value.content_.array = nullptr;
  return value;
}

inline Value Value::object() {
  Value value;
  value.kind_ = Kind::kObject;
  value.content_.object = nullptr;
  return value;
}

// A tree and its arena.
class Document {
 public:
  Document() = default;
  Document(Arena arena, Value root) : arena_(std::move(arena)), root_(std::move(root)) {}

  Value& root() { return root_; }
  const Value& root() const { return root_; }
  Arena& arena() { return arena_; }
  size_t memory() const { return sizeof(*this) + arena_.reserved(); }

  Document copy() const;

 private:
  Arena arena_;
  Value root_;
};

}  // namespace proa::json
