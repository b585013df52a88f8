#include "cel/check/checker.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cel/check/unifier.h"

namespace proa::cel {
namespace checker {

struct Local {
  std::string_view name;
  const Type* type;
};

bool is_dyn_or_error(const Type& type) { return is_dynamic(type) || type.is(TypeKind::kError); }

// "(int, string)", or "string.(int)" with a receiver.
std::string signature(std::span<const Type* const> args, bool member) {
  std::string text;
  if (member) {
    text = print_type(*args[0]) + ".";
    args = args.subspan(1);
  }
  text += '(';
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += ", ";
    text += print_type(*args[i]);
  }
  return text + ")";
}

// a.b.c of identifiers and selections; false for everything else.
bool qualified_name(const Expr* node, std::string& name) {
  if (node->is(ExprKind::kIdent)) {
    name = node->name;
    return true;
  }
  if (!node->is(ExprKind::kSelect) || node->test_only || !qualified_name(node->target, name)) {
    return false;
  }
  name += '.';
  name += node->name;
  return true;
}

// There is no container: a name with a leading dot is the same name.
std::string_view relative(std::string_view name) {
  return name.starts_with('.') ? name.substr(1) : name;
}

class Checker {
 public:
  Checker(const Environment& environment, TypeArena& types, AstFactory& factory, Issues& issues)
      : environment_(environment),
        types_(types),
        factory_(factory),
        issues_(issues),
        unifier_(types) {}

  // Types of nodes are final once the whole tree has been looked at.
  void run(Expr* root) {
    check(root);
    finish(root);
  }

 private:
  void fail(uint32_t position, std::string message) { issues_.add(position, std::move(message)); }
  void undeclared(uint32_t position, std::string_view name) {
    fail(position, "undeclared reference to '" + std::string(name) + "' (in container '')");
  }
  void mismatch(const Expr* node, const Type* expected, const Type* actual) {
    fail(node->position,
         "expected type '" + print_type(*expected) + "' but found '" + print_type(*actual) + "'");
  }

  const Type* variable(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return local->type;
    }
    for (const Environment::Variable& declared : environment_.variables()) {
      if (declared.name == name) return declared.type;
    }
    return nullptr;
  }

  // A variable, or the name of a type; false if it is neither.
  bool resolve(Expr* node, std::string_view name) {
    name = relative(name);
    if (const Type* type = variable(name)) {
      node->type = type;
    } else if (const Type* named = environment_.declarations().type(name)) {
      node->type = types_.type(named);
      node->is_type = true;
    } else {
      return false;
    }
    node->kind = ExprKind::kIdent;
    node->name = name;
    return true;
  }

  void check(Expr* node) {
    switch (node->kind) {
      case ExprKind::kLiteral:
        node->type = &type_of(node->literal);
        break;
      case ExprKind::kIdent:
        check_ident(node);
        break;
      case ExprKind::kSelect:
        check_select(node);
        break;
      case ExprKind::kCall:
        check_call(node);
        break;
      case ExprKind::kList:
        check_list(node);
        break;
      case ExprKind::kMap:
        check_map(node);
        break;
      case ExprKind::kStruct:
        check_struct(node);
        break;
      case ExprKind::kComprehension:
        check_loop(node);
        break;
    }
  }

  void check_ident(Expr* node) {
    if (resolve(node, node->name)) return;
    node->type = &types::kError;
    undeclared(node->position, node->name);
  }

  void check_select(Expr* node) {
    std::string name;
    if (!node->test_only && qualified_name(node, name) &&
        resolve(node, factory_.arena().copy(name))) {
      return;
    }
    const Type* type = select_type(node, node->target, node->name, false);
    node->type = unifier_.substitute(node->test_only ? &types::kBool : type, false);
  }

  const Type* select_type(const Expr* node, Expr* operand, std::string_view field, bool optional) {
    check(operand);
    const Type* target = unifier_.substitute(operand->type, false);
    if (is_optional(*target)) {
      target = target->parameters[0];
      optional = true;
    }
    const Type* result = &types::kDyn;
    if (target->is(TypeKind::kMap)) {
      result = target->parameters[1];
    } else if (target->is(TypeKind::kStruct)) {
      result = environment_.field(*target, field);
      if (result == nullptr) {
        fail(node->position, "undefined field '" + std::string(field) + "'");
        result = &types::kError;
      }
    } else if (target->is(TypeKind::kParameter)) {
      unifier_.assignable(&types::kDyn, target);
    } else if (target->is(TypeKind::kOpaque) && target->name.starts_with("kubernetes.")) {
      // Structs without fields, of which upstream's checker knows the names only.
      fail(node->position, "unexpected failed resolution of '" + print_type(*target) + "'");
      result = &types::kError;
    } else if (!is_dyn_or_error(*target)) {
      fail(node->position, "type '" + print_type(*target) + "' does not support field selection");
    }
    return optional ? types_.optional(result) : result;
  }

  void check_optional_select(Expr* node) {
    const Expr* field = node->args[1];
    node->args[1]->type = &types::kString;
    const Type* result = select_type(node, node->args[0], field->literal.text(), true);
    node->type = unifier_.substitute(result, false);
    if (const Function* function = environment_.declarations().function(node->name)) {
      node->overloads = function->overloads;
    }
  }

  void check_call(Expr* node) {
    if (node->calls(operators::kOptionalSelect)) return check_optional_select(node);
    for (Expr* arg : node->args) check(arg);
    const Declarations& declarations = environment_.declarations();
    if (node->target != nullptr) {
      std::string name;
      if (qualified_name(node->target, name)) {
        name += '.';
        name += node->name;
        if (const Function* function = declarations.function(relative(name))) {
          node->target = nullptr;
          node->name = function->name;
          return resolve_call(node, *function);
        }
      }
      check(node->target);
    }
    if (const Function* function = declarations.function(relative(node->name))) {
      node->name = function->name;
      return resolve_call(node, *function);
    }
    node->type = &types::kError;
    undeclared(node->position, node->name);
  }

  void resolve_call(Expr* node, const Function& function) {
    if (function.name == operators::kAnd || function.name == operators::kOr) {
      return check_logical(node, function);
    }
    std::vector<const Type*> args;
    if (node->target != nullptr) args.push_back(node->target->type);
    for (const Expr* arg : node->args) args.push_back(arg->type);
    std::vector<const Overload*> matches;
    const Type* result = nullptr;
    for (const Overload* overload : function.overloads) {
      if (overload->member != (node->target != nullptr)) continue;
      const Type* candidate = match(*overload, args);
      if (candidate == nullptr) continue;
      matches.push_back(overload);
      if (result == nullptr) {
        result = candidate;
      } else if (!is_dynamic(*result) && !same_type(*candidate, *result)) {
        result = &types::kDyn;
      }
    }
    if (result == nullptr) {
      for (const Type*& arg : args) arg = unifier_.substitute(arg, true);
      fail(node->position, "found no matching overload for '" + std::string(function.name) +
                               "' applied to '" + signature(args, node->target != nullptr) + "'");
      node->type = &types::kError;
      return;
    }
    node->type = result;
    set_overloads(node, matches);
  }

  void set_overloads(Expr* node, std::span<const Overload* const> matches) {
    auto* place = static_cast<const Overload**>(
        factory_.arena().allocate(matches.size_bytes(), alignof(const Overload*)));
    std::copy(matches.begin(), matches.end(), place);
    node->overloads = {place, matches.size()};
  }

  // The result's type if the arguments suit an overload, else null.
  const Type* match(const Overload& overload, std::span<const Type* const> args) {
    if (overload.args.size() != args.size()) return nullptr;
    std::vector<const Type*> variables;
    for (uint32_t i = 0; i < overload.type_parameters; ++i) {
      variables.push_back(unifier_.new_variable());
    }
    std::vector<const Type*> expected;
    for (const Type* arg : overload.args) expected.push_back(unifier_.instantiate(arg, variables));
    if (!unifier_.assignable(args, expected)) return nullptr;
    return unifier_.substitute(unifier_.instantiate(overload.result, variables), false);
  }

  void check_logical(Expr* node, const Function& function) {
    node->type = &types::kBool;
    for (const Expr* arg : node->args) {
      if (unifier_.assignable(arg->type, &types::kBool)) continue;
      mismatch(arg, &types::kBool, arg->type);
      node->type = &types::kError;
    }
    set_overloads(node, function.overloads);
  }

  // The type of an element that is left out if it is an optional without a value.
  const Type* unwrap(const Expr* node, bool optional) {
    if (!optional) return node->type;
    if (is_optional(*node->type)) return node->type->parameters[0];
    if (!is_dynamic(*node->type)) {
      mismatch(node, types_.optional(node->type), node->type);
    }
    return node->type;
  }

  // Elements of different types make a list of dyn; the validator refuses it later.
  const Type* join(const Type* previous, const Type* current) {
    if (previous == nullptr) return current;
    if (unifier_.assignable(previous, current)) return Unifier::most_general(previous, current);
    return &types::kDyn;
  }

  void check_list(Expr* node) {
    const Type* element = nullptr;
    for (size_t i = 0; i < node->args.size(); ++i) {
      check(node->args[i]);
      const bool optional = !node->optional_args.empty() && node->optional_args[i];
      const Type* type = unwrap(node->args[i], optional);
      element = join(element, type);
    }
    node->type = types_.list(element == nullptr ? unifier_.new_variable() : element);
  }

  void check_map(Expr* node) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const MapItem& entry : node->entries) {
      check(entry.key);
      key = join(key, entry.key->type);
      check(entry.value);
      value = join(value, unwrap(entry.value, entry.optional));
    }
    if (key == nullptr) {
      key = unifier_.new_variable();
      value = unifier_.new_variable();
    }
    node->type = types_.map(key, value);
  }

  void check_struct(Expr* node) {
    const std::string_view name = relative(node->name);
    node->type = &types::kError;
    if (const Type* type = variable(name)) {
      fail(node->position, "'" + print_type(*type) + "' is not a type");
    } else if (const Type* named = environment_.declarations().type(name)) {
      fail(node->position, "'" + std::string(runtime_name(*named)) + "' is not a message type");
    } else if (environment_.can_make(name)) {
      node->type = types_.structure(name);
      for (const MapItem& field : node->entries) check_field(node, field);
      return;
    } else {
      return undeclared(node->position, name);
    }
    for (const MapItem& field : node->entries) check(field.value);
  }

  void check_field(const Expr* node, const MapItem& field) {
    check(field.value);
    const Type* declared = environment_.field(*node->type, field.name);
    if (declared == nullptr) {
      return fail(field.position, "undefined field '" + std::string(field.name) + "'");
    }
    const Type* given = unwrap(field.value, field.optional);
    if (unifier_.assignable(declared, given)) return;
    fail(field.position, "expected type of field '" + std::string(field.name) + "' is '" +
                             print_type(*declared) + "' but provided type is '" +
                             print_type(*given) + "'");
  }

  // What the loop's variables are, by the type of its range.
  void declare_variables(const Comprehension& loop) {
    const Type* range = unifier_.substitute(loop.range->type, false);
    const Type* first = &types::kDyn;
    const Type* second = &types::kDyn;
    if (range->is(TypeKind::kList)) {
      second = range->parameters[0];
      first = loop.second_variable.empty() ? second : &types::kInt;
    } else if (range->is(TypeKind::kMap)) {
      first = range->parameters[0];
      second = range->parameters[1];
    } else if (range->is(TypeKind::kDyn) || range->is(TypeKind::kError) ||
               range->is(TypeKind::kParameter)) {
      unifier_.assignable(&types::kDyn, range);
    } else {
      fail(loop.range->position,
           "expression of type '" + print_type(*range) +
               "' cannot be range of a comprehension (must be list, map, or dynamic)");
      first = second = &types::kError;
    }
    locals_.push_back({.name = loop.variable, .type = first});
    if (!loop.second_variable.empty()) {
      locals_.push_back({.name = loop.second_variable, .type = second});
    }
  }

  void expect(const Expr* node, const Type* type) {
    if (!unifier_.assignable(type, node->type)) mismatch(node, type, node->type);
  }

  void check_loop(Expr* node) {
    const Comprehension& loop = *node->loop;
    check(loop.range);
    check(loop.initial);
    const size_t outer = locals_.size();
    const Type* accumulator = loop.initial->type;
    locals_.push_back({.name = loop.accumulator, .type = accumulator});
    const size_t inner = locals_.size();
    declare_variables(loop);
    check(loop.condition);
    expect(loop.condition, &types::kBool);
    check(loop.step);
    expect(loop.step, accumulator);
    locals_.resize(inner);
    check(loop.result);
    locals_.resize(outer);
    node->type = unifier_.substitute(loop.result->type, false);
  }

  void finish(Expr* node) {
    if (node == nullptr) return;
    if (node->type != nullptr) node->type = unifier_.substitute(node->type, true);
    finish(node->target);
    for (Expr* arg : node->args) finish(arg);
    for (const MapItem& entry : node->entries) {
      finish(entry.key);
      finish(entry.value);
    }
    if (node->loop == nullptr) return;
    for (Expr* part : {node->loop->range, node->loop->initial, node->loop->condition,
                       node->loop->step, node->loop->result}) {
      finish(part);
    }
  }

  const Environment& environment_;
  TypeArena& types_;
  AstFactory& factory_;
  Issues& issues_;
  Unifier unifier_;
  std::vector<Local> locals_;
};

}  // namespace checker

void check(Expr* root, const Environment& environment, TypeArena& types, AstFactory& factory,
           Issues& issues) {
  checker::Checker(environment, types, factory, issues).run(root);
}

}  // namespace proa::cel
