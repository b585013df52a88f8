#pragma once

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/types/type.h"

namespace proa::cel {

class Value;
class Context;

// Carries out a call. Arguments are values of the declared types, and no errors.
using Implementation = Value (*)(Context& context, std::span<const Value> args);

// How the arguments of a call are handled that are errors or of other types at run time.
enum class CallStyle : uint8_t {
  kPlain,      // an overload with types of its own
  kOperator,   // one implementation for all overloads, which looks at the types itself
  kVariadic,   // as kPlain; an error in one argument keeps the next ones from being evaluated
  kUnguarded,  // as kPlain; the implementation looks at the types itself
};

// A line of a library's table. The signature is "(int, int) -> int", or "string.(int) -> string"
// for a member.
struct FunctionRow {
  std::string_view function;
  std::string_view overload;
  std::string_view signature;
  Implementation implementation = nullptr;  // null: the evaluator knows it
  CallStyle style = CallStyle::kPlain;
};

struct Overload {
  std::string_view id;
  bool member = false;
  uint32_t type_parameters = 0;  // how many of 'A', 'B', ... it uses, counted from 'A'
  std::span<const Type* const> args;
  const Type* result = nullptr;
  Implementation implementation = nullptr;
  CallStyle style = CallStyle::kPlain;
};

struct Function {
  std::string_view name;
  std::vector<const Overload*> overloads;
};

// Functions and types of some libraries. Immutable once built; shared by all threads.
class Declarations {
 public:
  // REQUIRES: rows of a table that outlives this.
  void add(std::span<const FunctionRow> rows);
  // A name that stands for a type: "int", "kubernetes.Quantity".
  void add_type(std::string_view name, const Type* type);

  const Function* function(std::string_view name) const;
  // Null if the name stands for no type.
  const Type* type(std::string_view name) const;

 private:
  const Overload* parse(const FunctionRow& row);

  TypeArena types_;
  std::deque<Overload> overloads_;
  std::map<std::string_view, Function> functions_;
  std::map<std::string_view, const Type*> type_names_;
};

}  // namespace proa::cel
