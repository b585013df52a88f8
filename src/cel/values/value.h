#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cel/types/type.h"
#include "json/arena.h"
#include "json/value.h"

namespace proa::cel {

using json::Arena;

enum class ValueKind : uint8_t {
  kNull,
  kBool,
  kInt,
  kUint,
  kDouble,
  kString,
  kBytes,
  kDuration,
  kTimestamp,
  kList,
  kMap,
  kType,
  kOptional,
  kOpaque,
  kError,
};

class Value;
class Opaque;

struct MapEntry;
struct ListSum;

// Items of lists that were built during an evaluation. A list sees the first `size` of them: adding
// to the list that ends where the buffer ends reuses the buffer, so that appending in a loop is
// linear.
struct ListBuffer {
  Value* items;
  uint32_t used;
  uint32_t capacity;
  bool grown;          // its items went to a larger buffer once
  const Shape* shape;  // of the sum of a list that a schema describes, else null
  const Arena* owner;  // only its evaluation may add items
};

// A list or map of a document that a schema describes. Lies in the arena, where what is read of it
// goes, too.
struct TypedNode {
  const json::Value* json;
  const Shape* shape;
  Arena* arena;
};

// Entries of a map that was built during an evaluation. A map sees the first of them, as many as it
// has: adding to the one that sees all reuses the buffer.
struct MapBuffer {
  MapEntry* entries;
  uint32_t size;
  uint32_t capacity;
  uint32_t slots;                   // a power of two; zero while the map is small
  const uint32_t* index;            // of entries plus one, by hash of the key
  const Arena* owner;               // only its evaluation may add entries
  const Value* fallback = nullptr;  // what selections of other keys give; null: nothing
};

// A value of the language: 16 bytes, copied freely. Contents lie in the arena of the evaluation, in
// the program's constants, or in the JSON document that is evaluated, which is not copied. An error
// is a value, too: its text.
class Value {
 public:
  constexpr Value() = default;

  static Value null() { return {}; }
  static Value boolean(bool flag) { return Value(ValueKind::kBool, flag ? 1 : 0); }
  static Value integer(int64_t number) { return Value(ValueKind::kInt, number); }
  static Value unsigned_integer(uint64_t number);
  static Value number(double number);
  // REQUIRES: the text outlives the value.
  static Value string(std::string_view text) { return Value(ValueKind::kString, text); }
  static Value bytes(std::string_view data) { return Value(ValueKind::kBytes, data); }
  static Value error(std::string_view text) { return Value(ValueKind::kError, text); }
  static Value duration(int64_t nanoseconds) { return Value(ValueKind::kDuration, nanoseconds); }
  static Value timestamp(int64_t seconds, uint32_t nanoseconds);
  static Value list(const ListBuffer* buffer, uint32_t size);
  static Value map(const MapBuffer* buffer);
  static Value sum(const ListSum* sum, uint32_t size);
  static Value json_list(const json::Value* array);
  static Value json_map(const json::Value* object);
  static Value typed_list(const TypedNode* node);
  static Value typed_map(const TypedNode* node);
  static Value type(const Type* type);
  static Value none() { return Value(ValueKind::kOptional, int64_t{0}); }
  // REQUIRES: the value outlives this one.
  static Value optional(const Value* value);
  static Value opaque(const Opaque* object);

  ValueKind kind() const { return kind_; }
  bool is(ValueKind kind) const { return kind_ == kind; }
  bool is_error() const { return kind_ == ValueKind::kError; }
  bool is_true() const { return kind_ == ValueKind::kBool && content_.integer != 0; }
  bool is_false() const { return kind_ == ValueKind::kBool && content_.integer == 0; }
  bool is_json() const { return source_ == Source::kJson; }
  bool is_typed() const { return source_ == Source::kTyped; }
  bool is_sum() const { return source_ == Source::kSum; }

  // REQUIRES: a value of that kind.
  bool as_bool() const { return content_.integer != 0; }
  int64_t as_int() const { return content_.integer; }
  uint64_t as_uint() const { return static_cast<uint64_t>(content_.integer); }
  double as_double() const { return content_.number; }
  // Also of bytes and errors.
  std::string_view text() const { return {content_.text, size_}; }
  int64_t nanoseconds() const { return content_.integer; }  // of a duration
  int64_t seconds() const { return content_.integer; }      // of a timestamp
  uint32_t fraction() const { return size_; }               // nanoseconds of a timestamp
  const Type* as_type() const { return content_.type; }
  const Value* as_optional() const { return content_.value; }  // null: none
  const Opaque* as_opaque() const { return content_.opaque; }
  const ListBuffer* as_list() const { return content_.list; }
  const ListSum* as_sum() const { return content_.sum; }
  const MapBuffer* as_map() const { return content_.map; }
  const json::Value* as_json() const { return content_.json; }
  const TypedNode* as_typed() const { return content_.typed; }

  // A list or map whose selections take escaped names, too (a__dot__b), and give such lists and
  // maps; what a loop or a function takes from it is plain. Other values stay as they are.
  Value unescaping() const {
    Value made = *this;
    made.unescapes_ = kind_ == ValueKind::kList || kind_ == ValueKind::kMap;
    return made;
  }
  bool unescapes() const { return unescapes_; }
  // What selections of keys that the map does not have give; null: nothing. REQUIRES: a map.
  const Value* fallback() const {
    return source_ == Source::kBuilt ? content_.map->fallback : nullptr;
  }

  // The number of items or entries. REQUIRES: a list or map.
  uint32_t size() const { return size_; }

 private:
  Value(ValueKind kind, int64_t integer) : kind_(kind) { content_.integer = integer; }
  Value(ValueKind kind, int flag) : Value(kind, static_cast<int64_t>(flag)) {}
  Value(ValueKind kind, std::string_view text)
      : kind_(kind), size_(static_cast<uint32_t>(text.size())) {
    content_.text = text.data();
  }

  // Where the items of a list or map come from.
  enum class Source : uint8_t { kBuilt, kJson, kTyped, kSum };

  ValueKind kind_ = ValueKind::kNull;
  Source source_ = Source::kBuilt;
  bool unescapes_ = false;
  uint32_t size_ = 0;
  union Content {
    int64_t integer = 0;
    double number;
    const char* text;
    const ListBuffer* list;
    const ListSum* sum;
    const MapBuffer* map;
    const json::Value* json;
    const TypedNode* typed;
    const Type* type;
    const Value* value;
    const Opaque* opaque;
  } content_;
};
static_assert(sizeof(Value) == 16);

struct MapEntry {
  Value key;
  Value value;
};

// A value of a type of a library: a quantity, an address. Lies in an arena: its destructor does not
// run, so it owns nothing.
class Opaque {
 public:
  explicit constexpr Opaque(const Type& type) : type_(&type) {}
  const Type& type() const { return *type_; }
  // Whether there is an equality at all.
  virtual bool comparable() const { return true; }
  // REQUIRES: the other one is of the same type.
  virtual bool equals(const Opaque& other) const = 0;
  // For messages and tests.
  virtual std::string print() const = 0;
  // A field of it; nullopt if it has none of that name. The value can be an error.
  virtual std::optional<Value> member(std::string_view name) const;
  // What a loop over it sees; nullopt: it is nothing to loop over.
  virtual std::optional<std::span<const Value>> items() const { return std::nullopt; }
  // What costs depend on.
  virtual uint64_t size() const { return 1; }
  // Of the pattern that a format stands for.
  virtual uint64_t pattern_size() const { return 1; }

 protected:
  ~Opaque() = default;

 private:
  const Type* type_;
};

// The type of a value, without parameters.
const Type& type_of(const Value& value);

// A value of a JSON document, which must outlive it: objects are maps of strings.
Value from_json(const json::Value& value);

// Copies of text in the arena.
Value make_string(Arena& arena, std::string_view text);
Value make_error(Arena& arena, std::string_view text);
Value make_optional(Arena& arena, const Value& value);
inline Value no_such_overload() { return Value::error("no such overload"); }

}  // namespace proa::cel
