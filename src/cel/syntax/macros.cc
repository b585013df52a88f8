#include "cel/syntax/macros.h"

#include <array>

namespace proa::cel {
namespace macros {

// What a macro is expanded with: nodes that it makes stand where the call stands.
class Expansion {
 public:
  Expansion(AstFactory& factory, Expr* call, std::optional<MacroError>& error)
      : factory_(factory), call_(call), error_(error) {}

  Expr* target() const { return call_->target; }
  Expr* arg(size_t index) const { return call_->args[index]; }
  size_t count() const { return call_->args.size(); }

  Expr* accumulator() { return ident(kAccumulator); }
  Expr* ident(std::string_view name) { return factory_.ident(at(), name); }
  Expr* literal(const Value& value) { return factory_.literal(at(), value); }
  Expr* call(std::string_view function, std::initializer_list<Expr*> args) {
    return factory_.call(at(), function, args);
  }
  Expr* member_call(std::string_view function, Expr* target, std::span<Expr* const> args = {}) {
    return factory_.member_call(at(), function, target, args);
  }
  Expr* list(std::initializer_list<Expr*> elements) {
    return factory_.list(at(), {elements.begin(), elements.size()});
  }
  Expr* map() { return factory_.make(ExprKind::kMap, at()); }
  Expr* loop(const Comprehension& parts) { return factory_.comprehension(at(), parts); }
  Expr* copy(const Expr* node) { return factory_.deep_copy(node); }
  Expr* make(ExprKind kind) { return factory_.make(kind, at()); }
  Expr* fail(const Expr* where, std::string_view message) {
    error_ = MacroError{.position = where->position, .message = std::string(message)};
    return call_;
  }

 private:
  uint32_t at() const { return call_->position; }

  AstFactory& factory_;
  Expr* call_;
  std::optional<MacroError>& error_;
};

Expr* has(Expansion& x) {
  const Expr* field = x.arg(0);
  if (!field->is(ExprKind::kSelect)) return x.fail(field, "invalid argument to has() macro");
  Expr* node = x.make(ExprKind::kSelect);
  node->target = field->target;
  node->name = field->name;
  node->test_only = true;
  return node;
}

// The variables of a loop; false if one is refused.
bool loop_variables(Expansion& x, size_t count, std::string_view not_a_name, Comprehension& loop) {
  for (size_t i = 0; i < count; ++i) {
    const Expr* name = x.arg(i);
    if (name->is(ExprKind::kIdent)) continue;
    x.fail(name, not_a_name);
    return false;
  }
  loop.variable = x.arg(0)->name;
  if (count == 2) loop.second_variable = x.arg(1)->name;
  if (count == 2 && loop.variable == loop.second_variable) {
    x.fail(x.arg(1), "duplicate variable name: " + std::string(loop.variable));
    return false;
  }
  for (size_t i = 0; i < count; ++i) {
    if (x.arg(i)->name != kAccumulator) continue;
    x.fail(x.arg(i), "iteration variable overwrites accumulator variable");
    return false;
  }
  loop.range = x.target();
  loop.accumulator = kAccumulator;
  return true;
}

constexpr std::string_view kSimpleName = "argument must be a simple name";

template <size_t kVariables>
Expr* all(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, kVariables, kSimpleName, loop)) return x.arg(0);
  loop.initial = x.literal(Value::boolean(true));
  loop.condition = x.call(operators::kNotStrictlyFalse, {x.accumulator()});
  loop.step = x.call(operators::kAnd, {x.accumulator(), x.arg(kVariables)});
  loop.result = x.accumulator();
  return x.loop(loop);
}

template <size_t kVariables>
Expr* exists(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, kVariables, kSimpleName, loop)) return x.arg(0);
  loop.initial = x.literal(Value::boolean(false));
  loop.condition =
      x.call(operators::kNotStrictlyFalse, {x.call(operators::kNot, {x.accumulator()})});
  loop.step = x.call(operators::kOr, {x.accumulator(), x.arg(kVariables)});
  loop.result = x.accumulator();
  return x.loop(loop);
}

template <size_t kVariables>
Expr* exists_one(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, kVariables, kSimpleName, loop)) return x.arg(0);
  loop.initial = x.literal(Value::integer(0));
  loop.condition = x.literal(Value::boolean(true));
  Expr* more = x.call(operators::kAdd, {x.accumulator(), x.literal(Value::integer(1))});
  loop.step = x.call(operators::kConditional, {x.arg(kVariables), more, x.accumulator()});
  loop.result = x.call(operators::kEquals, {x.accumulator(), x.literal(Value::integer(1))});
  return x.loop(loop);
}

// The loops that collect: `step` adds to the accumulator; with a filter, for some elements only.
Expr* collect(Expansion& x, Comprehension& loop, Expr* initial, Expr* step, Expr* filter) {
  loop.initial = initial;
  loop.condition = x.literal(Value::boolean(true));
  loop.step =
      filter == nullptr ? step : x.call(operators::kConditional, {filter, step, x.accumulator()});
  loop.result = x.accumulator();
  return x.loop(loop);
}

Expr* map(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, 1, "argument is not an identifier", loop)) return x.arg(0);
  Expr* element = x.arg(x.count() - 1);
  Expr* step = x.call(operators::kAdd, {x.accumulator(), x.list({element})});
  return collect(x, loop, x.list({}), step, x.count() == 3 ? x.arg(1) : nullptr);
}

Expr* filter(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, 1, "argument is not an identifier", loop)) return x.arg(0);
  Expr* step = x.call(operators::kAdd, {x.accumulator(), x.list({x.arg(0)})});
  return collect(x, loop, x.list({}), step, x.arg(1));
}

Expr* transform_list(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, 2, kSimpleName, loop)) return x.arg(0);
  Expr* step = x.call(operators::kAdd, {x.accumulator(), x.list({x.arg(x.count() - 1)})});
  return collect(x, loop, x.list({}), step, x.count() == 4 ? x.arg(2) : nullptr);
}

constexpr std::string_view kMapInsert = "cel.@mapInsert";

Expr* transform_map(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, 2, kSimpleName, loop)) return x.arg(0);
  Expr* step = x.call(kMapInsert, {x.accumulator(), x.ident(loop.variable), x.arg(x.count() - 1)});
  return collect(x, loop, x.map(), step, x.count() == 4 ? x.arg(2) : nullptr);
}

Expr* transform_map_entry(Expansion& x) {
  Comprehension loop;
  if (!loop_variables(x, 2, kSimpleName, loop)) return x.arg(0);
  Expr* step = x.call(kMapInsert, {x.accumulator(), x.arg(x.count() - 1)});
  return collect(x, loop, x.map(), step, x.count() == 4 ? x.arg(2) : nullptr);
}

// The value of an optional under a name: a loop over nothing, whose accumulator is the value.
Expr* bind_value(Expansion& x) {
  Comprehension loop;
  loop.range = x.list({});
  loop.variable = "#unused";
  loop.accumulator = x.arg(0)->name;
  loop.initial = x.member_call("value", x.copy(x.target()));
  loop.condition = x.literal(Value::boolean(false));
  loop.step = x.ident(loop.accumulator);
  loop.result = x.arg(1);
  return x.loop(loop);
}

Expr* opt_map(Expansion& x) {
  if (!x.arg(0)->is(ExprKind::kIdent)) {
    return x.fail(x.arg(0), "optMap() variable name must be a simple identifier");
  }
  return x.call(operators::kConditional,
                {x.member_call("hasValue", x.target()), x.call("optional.of", {bind_value(x)}),
                 x.call("optional.none", {})});
}

Expr* opt_flat_map(Expansion& x) {
  if (!x.arg(0)->is(ExprKind::kIdent)) {
    return x.fail(x.arg(0), "optFlatMap() variable name must be a simple identifier");
  }
  return x.call(operators::kConditional, {x.member_call("hasValue", x.target()), bind_value(x),
                                          x.call("optional.none", {})});
}

// The list under a name, sorted by what the second argument is for each element.
Expr* sort_by(Expansion& x) {
  constexpr std::string_view kInput = "@__sortBy_input__";
  Comprehension keys;
  if (!loop_variables(x, 1, "argument is not an identifier", keys)) return x.arg(0);
  if (x.target()->is(ExprKind::kLiteral) || x.target()->is(ExprKind::kMap) ||
      x.target()->is(ExprKind::kStruct)) {
    return x.fail(x.target(),
                  "sortBy can only be applied to a list, identifier, comprehension, call or select "
                  "expression");
  }
  keys.range = x.ident(kInput);
  Expr* step = x.call(operators::kAdd, {x.accumulator(), x.list({x.arg(1)})});
  Expr* key_list = collect(x, keys, x.list({}), step, nullptr);
  Comprehension bound;
  bound.range = x.list({});
  bound.variable = "#unused";
  bound.accumulator = kInput;
  bound.initial = x.target();
  bound.condition = x.literal(Value::boolean(false));
  bound.step = x.ident(kInput);
  bound.result = x.member_call("@sortByAssociatedKeys", x.ident(kInput), {&key_list, 1});
  return x.loop(bound);
}

// A value under a name. Null if it is a call of something else than `cel`.
Expr* bind(Expansion& x) {
  if (!x.target()->is(ExprKind::kIdent) || x.target()->name != "cel") return nullptr;
  if (!x.arg(0)->is(ExprKind::kIdent)) {
    return x.fail(x.arg(0), "cel.bind() variable names must be simple identifiers");
  }
  Comprehension bound;
  bound.range = x.list({});
  bound.variable = "#unused";
  bound.accumulator = x.arg(0)->name;
  bound.initial = x.arg(1);
  bound.condition = x.literal(Value::boolean(false));
  bound.step = x.ident(bound.accumulator);
  bound.result = x.arg(2);
  return x.loop(bound);
}

enum class Needs : uint8_t { kNothing, kOptionals, kTwoVariables, kSortBy, kBindings };

struct Macro {
  std::string_view name;
  size_t args;
  bool receiver;
  Needs needs;
  Expr* (*expand)(Expansion&);
};

constexpr Macro kMacros[] = {
    {"has", 1, false, Needs::kNothing, has},
    {"all", 2, true, Needs::kNothing, all<1>},
    {"exists", 2, true, Needs::kNothing, exists<1>},
    {"exists_one", 2, true, Needs::kNothing, exists_one<1>},
    {"existsOne", 2, true, Needs::kNothing, exists_one<1>},
    {"map", 2, true, Needs::kNothing, map},
    {"map", 3, true, Needs::kNothing, map},
    {"filter", 2, true, Needs::kNothing, filter},
    {"optMap", 2, true, Needs::kOptionals, opt_map},
    {"optFlatMap", 2, true, Needs::kOptionals, opt_flat_map},
    {"all", 3, true, Needs::kTwoVariables, all<2>},
    {"exists", 3, true, Needs::kTwoVariables, exists<2>},
    {"existsOne", 3, true, Needs::kTwoVariables, exists_one<2>},
    {"exists_one", 3, true, Needs::kTwoVariables, exists_one<2>},
    {"transformList", 3, true, Needs::kTwoVariables, transform_list},
    {"transformList", 4, true, Needs::kTwoVariables, transform_list},
    {"transformMap", 3, true, Needs::kTwoVariables, transform_map},
    {"transformMap", 4, true, Needs::kTwoVariables, transform_map},
    {"transformMapEntry", 3, true, Needs::kTwoVariables, transform_map_entry},
    {"transformMapEntry", 4, true, Needs::kTwoVariables, transform_map_entry},
    {"sortBy", 2, true, Needs::kSortBy, sort_by},
    {"bind", 3, true, Needs::kBindings, bind},
};

bool available(Needs needs, const SyntaxOptions& options) {
  if (needs == Needs::kOptionals) return options.optionals;
  if (needs == Needs::kSortBy) return options.sort_by;
  if (needs == Needs::kBindings) return options.bindings;
  return needs == Needs::kNothing || options.two_variable_loops;
}

}  // namespace macros

Expr* expand_macro(AstFactory& factory, const SyntaxOptions& options, Expr* call,
                   std::optional<MacroError>& error) {
  for (const macros::Macro& macro : macros::kMacros) {
    if (macro.name != call->name || macro.args != call->args.size() ||
        macro.receiver != (call->target != nullptr) || !macros::available(macro.needs, options)) {
      continue;
    }
    macros::Expansion expansion(factory, call, error);
    return macro.expand(expansion);
  }
  return nullptr;
}

}  // namespace proa::cel
