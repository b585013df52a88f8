#include "cel/evaluate/planner.h"

#include <algorithm>

#include "cel/functions/standard/regex.h"
#include "cel/values/collections.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace planning {

constexpr std::string_view kConversions[] = {"bool", "bytes",  "double",    "duration", "dyn",
                                             "int",  "string", "timestamp", "type",     "uint"};

bool is_conversion(std::string_view function) {
  return std::find(std::begin(kConversions), std::end(kConversions), function) !=
         std::end(kConversions);
}

bool takes_pattern(std::string_view function) {
  return function == "matches" || function == "find" || function == "findAll";
}

// Elements that upstream looks up in a hash table.
bool is_primitive(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kUint:
    case ValueKind::kDouble:
    case ValueKind::kString:
      return true;
    default:
      return false;
  }
}

// What a node is for the nodes around it. Selections over an attribute extend it: the whole chain
// costs one, besides its keys.
enum class Role : uint8_t { kConstant, kAttribute, kConditional, kOther };

struct Planned {
  uint32_t node = 0;
  Role role = Role::kOther;
};

}  // namespace planning

class Planner {
 public:
  explicit Planner(const Environment& environment) : environment_(environment) {}

  Result<std::shared_ptr<const Program>> run(const Expr* root,
                                             std::shared_ptr<const Declarations> declarations) {
    program_->declarations_ = std::move(declarations);
    program_->root_ = plan(root).node;
    if (failure_) return *failure_;
    program_->nodes_.shrink_to_fit();
    program_->children_.shrink_to_fit();
    program_->constants_.shrink_to_fit();
    return std::shared_ptr<const Program>(std::move(program_));
  }

 private:
  using Planned = planning::Planned;
  using Role = planning::Role;

  struct Name {
    std::string_view name;
    uint32_t slot;
  };

  Node& node(Planned planned) { return program_->nodes_[planned.node]; }

  Planned add(Op op, std::span<const uint32_t> children, uint32_t data, Role role) {
    const auto first = static_cast<uint32_t>(program_->children_.size());
    program_->children_.insert(program_->children_.end(), children.begin(), children.end());
    program_->nodes_.push_back(
        {.op = op, .count = static_cast<uint32_t>(children.size()), .first = first, .data = data});
    return {.node = static_cast<uint32_t>(program_->nodes_.size() - 1), .role = role};
  }

  Planned add(Op op, std::initializer_list<uint32_t> children, uint32_t data = 0,
              Role role = Role::kOther) {
    return add(op, std::span(children.begin(), children.size()), data, role);
  }

  uint32_t constant(const Value& value) {
    program_->constants_.push_back(value);
    return static_cast<uint32_t>(program_->constants_.size() - 1);
  }
  Planned add_constant(const Value& value) {
    return add(Op::kConstant, {}, constant(value), Role::kConstant);
  }
  const Value& constant_of(Planned planned) { return program_->constants_[node(planned).data]; }

  // Text of literals lies in the source and in the arena of the compilation.
  Value kept(const Value& literal) {
    const std::string_view text = literal.is(ValueKind::kString) || literal.is(ValueKind::kBytes)
                                      ? program_->arena_.copy(literal.text())
                                      : std::string_view();
    if (literal.is(ValueKind::kString)) return Value::string(text);
    if (literal.is(ValueKind::kBytes)) return Value::bytes(text);
    return literal;
  }

  Planned plan(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kLiteral:
        return add_constant(kept(expr->literal));
      case ExprKind::kIdent:
        return plan_ident(expr);
      case ExprKind::kSelect:
        return plan_select(expr);
      case ExprKind::kCall:
        return plan_call(expr);
      case ExprKind::kList:
        return plan_list(expr);
      case ExprKind::kMap:
        return plan_map(expr);
      case ExprKind::kComprehension:
        return plan_loop(expr);
      case ExprKind::kStruct:
        return plan_struct(expr);
    }
    return add_constant(no_such_overload());
  }

  Planned plan_ident(const Expr* expr) {
    if (expr->is_type) {
      // The types that names stand for live as long as the declarations.
      return add_constant(Value::type(environment_.declarations().type(expr->name)));
    }
    Planned planned;
    const auto local = std::find_if(names_.rbegin(), names_.rend(),
                                    [&](const Name& name) { return name.name == expr->name; });
    if (local != names_.rend()) {
      planned = add(Op::kLocal, {}, local->slot, Role::kAttribute);
    } else {
      const auto& variables = environment_.variables();
      const auto found = std::find_if(variables.begin(), variables.end(),
                                      [&](const auto& entry) { return entry.name == expr->name; });
      planned = add(Op::kVariable, {}, static_cast<uint32_t>(found - variables.begin()),
                    Role::kAttribute);
    }
    node(planned).charged = true;
    return planned;
  }

  // A selection or index over an operand. Its own key costs one; the chain's end costs one more.
  Planned extend(Planned operand, Op op, std::initializer_list<uint32_t> children, uint32_t data) {
    const bool conditional = operand.role == Role::kConditional;
    if (operand.role == Role::kAttribute) node(operand).charged = false;
    const Planned planned =
        add(op, children, data, conditional ? Role::kConditional : Role::kAttribute);
    node(planned).charged = !conditional && op != Op::kHas;
    node(planned).free_key = conditional && op == Op::kHas;
    return planned;
  }

  Planned plan_select(const Expr* expr) {
    const Planned operand = plan(expr->target);
    const uint32_t key = constant(kept(Value::string(expr->name)));
    return extend(operand, expr->test_only ? Op::kHas : Op::kSelect, {operand.node}, key);
  }

  Planned plan_call(const Expr* expr) {
    if (expr->target == nullptr) {
      if (const std::optional<Planned> planned = plan_operator(expr)) return *planned;
    }
    std::vector<Planned> args;
    if (expr->target != nullptr) args.push_back(plan(expr->target));
    for (const Expr* arg : expr->args) args.push_back(plan(arg));
    const std::string_view overload = expr->overloads.size() == 1 ? expr->overloads[0]->id : "";
    if (expr->target != nullptr && args.size() == 2) {
      if (expr->name == "or") return add(Op::kOptionalOr, {args[0].node, args[1].node});
      if (expr->name == "orValue") return add(Op::kOptionalOrValue, {args[0].node, args[1].node});
    }
    if (overload == "in_list" && args[1].role == Role::kConstant) {
      if (const std::optional<Planned> planned = plan_set(args[0], args[1])) return *planned;
    }
    return add_call(expr, overload, args);
  }

  Planned add_call(const Expr* expr, std::string_view overload, std::span<const Planned> args) {
    CallSite call;
    call.function = environment_.declarations().function(expr->name);
    if (!overload.empty()) call.overload = expr->overloads[0];
    call.rule = cost_rule(expr->name, overload);
    const bool is_operator = call.function->overloads[0]->style == CallStyle::kOperator;
    call.variadic =
        args.size() > 2 || args.empty() ||
        (call.overload != nullptr ? call.overload->style == CallStyle::kVariadic
                                  : !is_operator && call.function->overloads.size() > 1);
    std::vector<uint32_t> children;
    for (const Planned& arg : args) children.push_back(arg.node);
    const bool constant_pattern = args.size() >= 2 && args[1].role == Role::kConstant &&
                                  constant_of(args[1]).is(ValueKind::kString);
    if (constant_pattern && planning::takes_pattern(expr->name)) {
      return plan_pattern(call, children, constant_of(args[1]).text());
    }
    program_->calls_.push_back(call);
    const Planned planned =
        add(Op::kCall, children, static_cast<uint32_t>(program_->calls_.size() - 1), Role::kOther);
    if (args.size() == 1 && args[0].role == Role::kConstant && expr->target == nullptr &&
        planning::is_conversion(expr->name)) {
      return fold(planned);
    }
    return planned;
  }

  void check_pattern(const RE2& compiled, std::string_view pattern) {
    if (compiled.ok() || failure_) return;
    failure_ = Status(Reason::kBadRequest, regex_error(compiled, pattern));
  }

  // A constant pattern is compiled once.
  Planned plan_pattern(CallSite call, std::span<const uint32_t> children,
                       std::string_view pattern) {
    auto compiled = std::make_unique<const RE2>(go_pattern(pattern), regex_options());
    check_pattern(*compiled, pattern);
    program_->patterns_.push_back(std::move(compiled));
    call.variadic = true;
    call.pattern = program_->patterns_.back().get();
    program_->calls_.push_back(call);
    return add(Op::kCall, children, static_cast<uint32_t>(program_->calls_.size() - 1),
               Role::kOther);
  }

  Planned fold(Planned planned) {
    Program& program = *program_;
    const uint32_t root = std::exchange(program.root_, planned.node);
    const Outcome outcome = program.evaluate({}, program.arena_, UINT64_MAX);
    program.root_ = root;
    if (outcome.value.is_error() && !failure_) {
      failure_ = Status(Reason::kBadRequest, std::string(outcome.value.text()));
    }
    return add_constant(outcome.value);
  }

  std::optional<Planned> plan_operator(const Expr* expr) {
    const std::string_view name = expr->name;
    if (name == operators::kConditional) return plan_conditional(expr);
    if (name == operators::kIndex) return plan_index(expr, Op::kIndex);
    if (name == operators::kOptionalIndex) return plan_index(expr, Op::kOptionalIndex);
    if (name == operators::kOptionalSelect) {
      const Planned operand = plan(expr->args[0]);
      const uint32_t key = constant(kept(expr->args[1]->literal));
      return extend(operand, Op::kOptionalSelect, {operand.node}, key);
    }
    if (name == operators::kNotStrictlyFalse) {
      return add(Op::kNotStrictlyFalse, {plan(expr->args[0]).node});
    }
    for (const auto& [function, op] :
         {std::pair(operators::kAnd, Op::kAnd), std::pair(operators::kOr, Op::kOr),
          std::pair(operators::kEquals, Op::kEquals),
          std::pair(operators::kNotEquals, Op::kNotEquals)}) {
      if (name != function) continue;
      const Planned left = plan(expr->args[0]);
      const Planned right = plan(expr->args[1]);
      return add(op, {left.node, right.node});
    }
    return std::nullopt;
  }

  // A branch is resolved as part of the conditional: it costs its keys, but not itself.
  Planned plan_branch(const Expr* expr) {
    const Planned branch = plan(expr);
    if (branch.role == Role::kAttribute) node(branch).charged = false;
    return branch;
  }

  Planned plan_conditional(const Expr* expr) {
    const Planned condition = plan(expr->args[0]);
    const Planned yes = plan_branch(expr->args[1]);
    const Planned no = plan_branch(expr->args[2]);
    return add(Op::kConditional, {condition.node, yes.node, no.node}, 0, Role::kConditional);
  }

  // A constant that can be no key fails before the program runs.
  void check_key(const Value& key) {
    const bool null = key.is(ValueKind::kNull);
    if (failure_ || (!null && !key.is(ValueKind::kBytes))) return;
    failure_ = Status(Reason::kBadRequest,
                      std::string("invalid qualifier type: types.") + (null ? "Null" : "Bytes"));
  }

  Planned plan_index(const Expr* expr, Op op) {
    const Planned operand = plan(expr->args[0]);
    const Planned key = plan_branch(expr->args[1]);
    if (key.role == Role::kConstant) check_key(constant_of(key));
    return extend(operand, op, {operand.node, key.node}, 0);
  }

  // x in [1, 2]: nullopt if upstream does not treat the list as a set.
  std::optional<Planned> plan_set(Planned element, Planned list) {
    const Value set = constant_of(list);
    if (set.size() == 0) return add_constant(Value::boolean(false));
    MapBuilder builder(program_->arena_, set.size());
    for (uint32_t i = 0; i < set.size(); ++i) {
      const Value item = list_item(set, i);
      if (!planning::is_primitive(item)) return std::nullopt;
      builder.set(item, Value::boolean(true));
    }
    return add(Op::kInSet, {element.node}, constant(builder.build()));
  }

  uint32_t optional_set(std::vector<bool> optional) {
    if (std::find(optional.begin(), optional.end(), true) == optional.end()) return Program::kNone;
    program_->optional_.push_back(std::move(optional));
    return static_cast<uint32_t>(program_->optional_.size() - 1);
  }

  Planned plan_list(const Expr* expr) {
    std::vector<uint32_t> children;
    bool constant = true;
    for (const Expr* arg : expr->args) {
      const Planned element = plan(arg);
      constant = constant && element.role == Role::kConstant;
      children.push_back(element.node);
    }
    const uint32_t optional =
        optional_set({expr->optional_args.begin(), expr->optional_args.end()});
    const Planned planned = add(Op::kList, children, optional, Role::kOther);
    return constant ? fold_literal(planned) : planned;
  }

  Planned plan_map(const Expr* expr) {
    std::vector<uint32_t> children;
    std::vector<bool> optional;
    bool constant = true;
    for (const MapItem& entry : expr->entries) {
      for (const Expr* part : {entry.key, entry.value}) {
        const Planned planned = plan(part);
        constant = constant && planned.role == Role::kConstant;
        children.push_back(planned.node);
      }
      optional.push_back(entry.optional);
    }
    const Planned planned =
        add(Op::kMap, children, optional_set(std::move(optional)), Role::kOther);
    return constant ? fold_literal(planned) : planned;
  }

  Planned plan_struct(const Expr* expr) {
    Arena& arena = program_->arena_;
    StructSite site;
    site.type = {.kind = TypeKind::kStruct, .name = arena.copy(expr->type->name)};
    std::vector<uint32_t> children;
    for (const MapItem& entry : expr->entries) {
      children.push_back(plan(entry.value).node);
      const Type* declared = environment_.field(*expr->type, entry.name);
      site.fields.push_back({.name = arena.copy(entry.name),
                             .optional = entry.optional,
                             .text = declared != nullptr && declared->is(TypeKind::kString)});
    }
    program_->structs_.push_back(std::move(site));
    return add(Op::kStruct, children, static_cast<uint32_t>(program_->structs_.size() - 1),
               Role::kOther);
  }

  // A list or map of constants is a constant; an error in it is found when it is evaluated.
  Planned fold_literal(Planned planned) {
    Program& program = *program_;
    const uint32_t root = std::exchange(program.root_, planned.node);
    const Outcome outcome = program.evaluate({}, program.arena_, UINT64_MAX);
    program.root_ = root;
    return add_constant(outcome.value);
  }

  uint32_t declare(std::string_view name) {
    const uint32_t slot = program_->slots_++;
    names_.push_back({.name = name, .slot = slot});
    return slot;
  }

  Planned plan_loop(const Expr* expr) {
    const Comprehension& loop = *expr->loop;
    const Planned initial = plan(loop.initial);
    const Planned range = plan(loop.range);
    const size_t outer = names_.size();
    LoopSite site;
    site.accumulator = declare(loop.accumulator);
    const size_t inner = names_.size();
    site.variable = declare(loop.variable);
    if (!loop.second_variable.empty()) site.second_variable = declare(loop.second_variable);
    const Planned condition = plan(loop.condition);
    const Planned step = plan(loop.step);
    names_.resize(inner);
    const Planned result = plan(loop.result);
    names_.resize(outer);
    program_->loops_.push_back(site);
    return add(Op::kLoop, {range.node, initial.node, condition.node, step.node, result.node},
               static_cast<uint32_t>(program_->loops_.size() - 1));
  }

  const Environment& environment_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::vector<Name> names_;
  std::optional<Status> failure_;
};

Result<std::shared_ptr<const Program>> plan(const Expr* root, const Environment& environment,
                                            std::shared_ptr<const Declarations> declarations) {
  return Planner(environment).run(root, std::move(declarations));
}

}  // namespace proa::cel
