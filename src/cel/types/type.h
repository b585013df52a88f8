#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "json/arena.h"

namespace proa::cel {

enum class TypeKind : uint8_t {
  kError,  // of an expression that was already reported
  kDyn,
  kAny,  // as kDyn, but no range of a loop: protobuf's Any
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
  kStruct,
  kOpaque,
  kType,
  kParameter,
};

struct Shape;

// A type of the language. Immutable; lives in a TypeArena, or as long as the program.
struct Type {
  TypeKind kind = TypeKind::kDyn;
  uint32_t parameter = 0;  // the number of a type variable (kParameter)
  std::string_view name;   // of kStruct, kOpaque and kParameter
  std::span<const Type* const> parameters;
  const Shape* shape = nullptr;  // of a kStruct that a schema describes

  bool is(TypeKind other) const { return kind == other; }
};

namespace types {
inline constexpr Type kError{.kind = TypeKind::kError};
inline constexpr Type kDyn{.kind = TypeKind::kDyn};
inline constexpr Type kAny{.kind = TypeKind::kAny};
inline constexpr Type kNull{.kind = TypeKind::kNull};
inline constexpr Type kBool{.kind = TypeKind::kBool};
inline constexpr Type kInt{.kind = TypeKind::kInt};
inline constexpr Type kUint{.kind = TypeKind::kUint};
inline constexpr Type kDouble{.kind = TypeKind::kDouble};
inline constexpr Type kString{.kind = TypeKind::kString};
inline constexpr Type kBytes{.kind = TypeKind::kBytes};
inline constexpr Type kDuration{.kind = TypeKind::kDuration};
inline constexpr Type kTimestamp{.kind = TypeKind::kTimestamp};
// The types of types and containers, where their parameters do not matter.
inline constexpr Type kType{.kind = TypeKind::kType};
inline constexpr Type kList{.kind = TypeKind::kList};
inline constexpr Type kMap{.kind = TypeKind::kMap};
inline constexpr Type kOptional{.kind = TypeKind::kOpaque, .name = "optional_type"};
}  // namespace types

inline constexpr std::string_view kOptionalName = "optional_type";

inline bool is_dynamic(const Type& type) {
  return type.kind == TypeKind::kDyn || type.kind == TypeKind::kAny;
}

inline bool is_optional(const Type& type) {
  return type.kind == TypeKind::kOpaque && type.name == kOptionalName;
}

// Kind, name and parameters are the same.
bool same_type(const Type& a, const Type& b);

// As cel-go's checker prints it: "list(int)", "map(string, dyn)", "timestamp".
std::string print_type(const Type& type);

// The name that type() gives, and that errors at run time use: "google.protobuf.Timestamp", "list".
std::string_view runtime_name(const Type& type);

// Makes types; they live as long as this.
class TypeArena {
 public:
  const Type* list(const Type* element) { return with(TypeKind::kList, {}, {&element, 1}); }
  const Type* map(const Type* key, const Type* value);
  const Type* optional(const Type* value) {
    return with(TypeKind::kOpaque, kOptionalName, {&value, 1});
  }
  const Type* type(const Type* value) { return with(TypeKind::kType, {}, {&value, 1}); }
  const Type* structure(std::string_view name) { return with(TypeKind::kStruct, name, {}); }
  const Type* with(TypeKind kind, std::string_view name, std::span<const Type* const> parameters);
  const Type* parameter(std::string_view name, uint32_t number);

  // From now on, parse() takes this name for a struct. Other names that it does not know are
  // opaque.
  void declare_struct(std::string_view name) { struct_names_.emplace(name); }

  // The notation of print_type(); capital letters are type parameters, numbered from 'A'. Null if
  // it is malformed.
  const Type* parse(std::string_view text);
  bool is_struct(std::string_view name) const { return struct_names_.contains(name); }

  json::Arena& arena() { return arena_; }

 private:
  json::Arena arena_;
  std::set<std::string, std::less<>> struct_names_;
};

}  // namespace proa::cel
