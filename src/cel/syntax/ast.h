#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/types/type.h"
#include "cel/values/value.h"

namespace proa::cel {

struct Overload;

enum class ExprKind : uint8_t {
  kLiteral,
  kIdent,
  kSelect,         // target.name; has(target.name) if test_only
  kCall,           // name(args), or target.name(args)
  kList,           // args
  kMap,            // entries
  kStruct,         // name{entries}
  kComprehension,  // loop
};

struct Expr;

struct MapItem {
  Expr* key = nullptr;    // null in a struct
  std::string_view name;  // of a field of a struct
  Expr* value = nullptr;
  uint32_t position = 0;  // of the colon
  bool optional = false;  // ?key: value
};

struct Comprehension {
  Expr* range = nullptr;
  std::string_view variable;
  std::string_view second_variable;  // empty: none
  std::string_view accumulator;
  Expr* initial = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

// A node of the tree. Nodes lie in the arena of the compilation, and die with it.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  bool test_only = false;
  uint16_t height = 0;    // of the tree below; set and bounded by the parser
  uint32_t position = 0;  // bytes from the start of the source
  std::string_view name;
  Value literal;
  Expr* target = nullptr;
  std::span<Expr*> args;
  std::span<const bool> optional_args;  // of a list: which elements are [?x]; empty: none
  std::span<MapItem> entries;
  Comprehension* loop = nullptr;

  // What the checker found.
  const Type* type = nullptr;
  std::span<const Overload* const> overloads;  // of a call: those that may apply
  bool is_type = false;                        // an identifier that names a type

  bool is(ExprKind other) const { return kind == other; }
  // A call without a receiver.
  bool calls(std::string_view function) const {
    return kind == ExprKind::kCall && target == nullptr && name == function;
  }
};

// Names of operators, as functions.
namespace operators {
inline constexpr std::string_view kConditional = "_?_:_";
inline constexpr std::string_view kAnd = "_&&_";
inline constexpr std::string_view kOr = "_||_";
inline constexpr std::string_view kNot = "!_";
inline constexpr std::string_view kNotStrictlyFalse = "@not_strictly_false";
inline constexpr std::string_view kEquals = "_==_";
inline constexpr std::string_view kNotEquals = "_!=_";
inline constexpr std::string_view kAdd = "_+_";
inline constexpr std::string_view kNegate = "-_";
inline constexpr std::string_view kIndex = "_[_]";
inline constexpr std::string_view kOptionalIndex = "_[?_]";
inline constexpr std::string_view kOptionalSelect = "_?._";
}  // namespace operators

inline constexpr std::string_view kAccumulator = "__result__";

// Makes nodes in an arena.
class AstFactory {
 public:
  explicit AstFactory(Arena& arena) : arena_(arena) {}

  Expr* make(ExprKind kind, uint32_t position);
  Expr* literal(uint32_t position, const Value& value);
  Expr* ident(uint32_t position, std::string_view name);
  Expr* call(uint32_t position, std::string_view function, std::initializer_list<Expr*> args);
  Expr* member_call(uint32_t position, std::string_view function, Expr* target,
                    std::span<Expr* const> args);
  Expr* list(uint32_t position, std::span<Expr* const> elements);
  Expr* comprehension(uint32_t position, const Comprehension& loop);
  std::span<Expr*> copy(std::span<Expr* const> nodes);
  Expr* deep_copy(const Expr* node);
  Arena& arena() { return arena_; }
  // Macros copy what they are given: an expression can become too large. Nodes are missing then.
  bool exhausted() const { return copied_ > kMaxCopied; }

 private:
  static constexpr size_t kMaxCopied = 100'000;

  Arena& arena_;
  size_t copied_ = 0;
};

}  // namespace proa::cel
