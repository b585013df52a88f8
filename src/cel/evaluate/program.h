#pragma once

#include <re2/re2.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cost/budget.h"
#include "cel/cost/rules.h"
#include "cel/types/declarations.h"
#include "cel/values/value.h"

namespace proa::cel {

enum class Op : uint8_t {
  kConstant,  // data: the constant
  kVariable,  // data: the variable's number
  kLocal,     // data: the slot
  kSelect,    // data: the key, a constant; children: the operand
  kHas,
  kOptionalSelect,
  kIndex,  // children: the operand, the key
  kOptionalIndex,
  kAnd,
  kOr,
  kConditional,
  kEquals,
  kNotEquals,
  kNotStrictlyFalse,
  kOptionalOr,
  kOptionalOrValue,
  kInSet,   // data: the set, the keys of a constant map
  kCall,    // data: the call
  kList,    // data: which elements are optional, or kNone
  kMap,     // the same of entries; children: keys and values in turn
  kStruct,  // data: the struct; children: values of its fields
  kLoop,    // data: the loop
};

// A step of a program; its children are `count` entries of `children` from `first` on.
struct Node {
  Op op = Op::kConstant;
  bool charged = false;   // costs one more: the end of a chain of selections, or a variable
  bool free_key = false;  // a selection whose key costs nothing
  uint8_t reserved = 0;
  uint32_t count = 0;
  uint32_t first = 0;
  uint32_t data = 0;
};

struct CallSite {
  const Function* function = nullptr;
  const Overload* overload = nullptr;  // null: found by the arguments' types, at run time
  CostRule rule = CostRule::kOne;
  const RE2* pattern = nullptr;  // a constant one of matches(), find() or findAll()
  bool variadic = false;  // an error in one argument keeps the next ones from being evaluated
};

struct LoopSite {
  uint32_t accumulator = 0;  // slots
  uint32_t variable = 0;
  std::optional<uint32_t> second_variable;
};

// A struct that an expression makes. Names lie in the program's arena.
struct StructSite {
  struct Field {
    std::string_view name;
    bool optional = false;
    bool text = false;  // takes nothing else
  };
  Type type;
  std::vector<Field> fields;
};

// What a value of the result of an evaluation lives in, and what it costs.
struct Outcome {
  Value value;  // an error if the evaluation failed
  uint64_t cost = 0;
  bool cancelled = false;  // the limit of the cost, of memory or of the budget was exceeded
};

// A compiled expression: immutable, small, shared by all threads. Keeps the declarations alive that
// it calls.
class Program {
 public:
  // Values of the variables, in the order of the environment's. The result lies in the arena, or
  // where the variables lie. `budget`: of the request, which pays for memory and for work that the
  // cost does not tell, and whose time ends the evaluation, too; null: none.
  Outcome evaluate(std::span<const Value> variables, Arena& arena, uint64_t cost_limit,
                   Budget* budget = nullptr) const;

  // Whether the expression mentions a variable, by its number.
  bool uses(uint32_t variable) const;

  // Bytes it takes, without what it shares.
  size_t memory() const;

 private:
  friend class Planner;
  friend class Evaluation;
  static constexpr uint32_t kNone = UINT32_MAX;

  std::shared_ptr<const Declarations> declarations_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> children_;
  std::vector<Value> constants_;
  std::vector<CallSite> calls_;
  std::vector<LoopSite> loops_;
  std::deque<StructSite> structs_;  // values refer to their types
  std::vector<std::vector<bool>> optional_;
  std::vector<std::unique_ptr<const RE2>> patterns_;
  uint32_t root_ = 0;
  uint32_t slots_ = 0;
  Arena arena_;  // of the constants
};

}  // namespace proa::cel
