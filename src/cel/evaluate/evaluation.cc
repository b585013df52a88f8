#include "cel/evaluate/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <new>

#include "cel/types/escape.h"
#include "cel/values/collections.h"
#include "cel/values/compare.h"
#include "cel/values/print.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace evaluation {

constexpr std::string_view kCancelled = "operation cancelled: actual cost limit exceeded";

// The names of upstream's Go types, which messages show.
std::string_view go_type(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "types.Null";
    case ValueKind::kBool:
      return "types.Bool";
    case ValueKind::kInt:
      return "types.Int";
    case ValueKind::kUint:
      return "types.Uint";
    case ValueKind::kDouble:
      return "types.Double";
    case ValueKind::kString:
      return "types.String";
    case ValueKind::kBytes:
      return "types.Bytes";
    case ValueKind::kDuration:
      return "types.Duration";
    case ValueKind::kTimestamp:
      return "types.Timestamp";
    case ValueKind::kType:
      return "*types.Type";
    case ValueKind::kOptional:
      return "*types.Optional";
    case ValueKind::kOpaque:
      if (type_of(value).name == "kubernetes.Semver") return "cel.Semver";
      return type_of(value).name == "kubernetes.Quantity" ? "cel.Quantity" : "ref.Val";
    default:
      return "ref.Val";
  }
}

// The position in a list, or the error of a key that is none; -1 if it is out of the list's bounds.
Value list_index(Context& context, const Value& key) {
  switch (key.kind()) {
    case ValueKind::kInt:
      return key;
    case ValueKind::kUint:
      if (key.as_uint() <= INT64_MAX) return Value::integer(static_cast<int64_t>(key.as_uint()));
      break;
    case ValueKind::kDouble: {
      const double number = key.as_double();
      if (std::abs(number) < 9.2e18 && std::trunc(number) == number) {
        return Value::integer(static_cast<int64_t>(number));
      }
      break;
    }
    default:
      return context.error("unsupported index type '" + std::string(runtime_name(type_of(key))) +
                           "' in list");
  }
  return context.error("unsupported index value " + print_plain(key) + " in list");
}

bool is_selection(Op op) {
  return op == Op::kSelect || op == Op::kIndex || op == Op::kOptionalSelect ||
         op == Op::kOptionalIndex;
}

bool is_key(const Value& value) {
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

bool matches(const Type& declared, const Value& value) {
  switch (declared.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kParameter:
      return true;
    case TypeKind::kOpaque: {
      const Type& actual = type_of(value);
      return actual.is(TypeKind::kOpaque) && actual.name == declared.name;
    }
    case TypeKind::kList:
      // Upstream looks at the first item. No function declares a map of certain types.
      return value.is(ValueKind::kList) &&
             (value.size() == 0 || matches(*declared.parameters[0], list_item(value, 0)));
    default:
      return type_of(value).kind == declared.kind;
  }
}

bool matches(const Overload& overload, std::span<const Value> args) {
  if (overload.args.size() != args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!matches(*overload.args[i], args[i])) return false;
  }
  return true;
}

Value no_overload(Context& context, std::string_view function, std::span<const Value> args) {
  std::string text = "no such overload: " + std::string(function) + "(";
  for (size_t i = 0; i < args.size(); ++i) {
    if (i > 0) text += ", ";
    text += runtime_name(type_of(args[i]));
  }
  return context.error(text + ")");
}

}  // namespace evaluation

Evaluation::Evaluation(const Program& program, std::span<const Value> variables, Arena& arena,
                       uint64_t cost_limit, Budget* budget)
    : program_(program),
      variables_(variables),
      context_(arena, budget),
      limit_(cost_limit),
      memory_before_(arena.reserved()),
      memory_seen_(arena.reserved()),
      budget_(budget) {
  auto* slots = static_cast<Slot*>(arena.allocate(sizeof(Slot) * program.slots_, alignof(Slot)));
  for (uint32_t i = 0; i < program.slots_; ++i) new (&slots[i]) Slot;
  slots_ = {slots, program.slots_};
}

Outcome Evaluation::run() {
  Outcome outcome{.value = evaluate(program_.nodes_[program_.root_])};
  outcome.cost = cost_;
  outcome.cancelled = cancelled_;
  if (cancelled_) outcome.value = Value::error(evaluation::kCancelled);
  return outcome;
}

void Evaluation::account_memory() {
  memory_seen_ = context_.arena().reserved();
  if (memory_seen_ - memory_before_ > kMostMemory) cancelled_ = true;
  if (!cancelled_ && budget_ != nullptr && !budget_->holds(memory_seen_)) cancelled_ = true;
}

void Evaluation::look() {
  next_look_ = cost_ + kCostPerLook;
  if (budget_ != nullptr && !budget_->in_time()) cancelled_ = true;
}

Value Evaluation::evaluate(const Node& node, bool reads) {
  // What is evaluated after the limit was exceeded is thrown away.
  if (cancelled_) return Value::error(evaluation::kCancelled);
  const Value value = reads && node.op == Op::kHas ? has(node, true) : dispatch(node);
  if (node.charged) charge(kAttributeCost);
  return value;
}

Value Evaluation::evaluate_child(const Node& node, uint32_t index) {
  return evaluate(child(node, index));
}

Value Evaluation::dispatch(const Node& node) {
  switch (node.op) {
    case Op::kConstant:
      return program_.constants_[node.data];
    case Op::kVariable:
      return variables_[node.data];
    case Op::kLocal:
      return local(node);
    case Op::kSelect:
    case Op::kOptionalSelect:
    case Op::kIndex:
    case Op::kOptionalIndex:
      return select(node);
    case Op::kHas:
      return has(node, false);
    case Op::kAnd:
      return logical(node, false);
    case Op::kOr:
      return logical(node, true);
    case Op::kConditional:
      return conditional(node);
    case Op::kEquals:
      return equality(node, true);
    case Op::kNotEquals:
      return equality(node, false);
    case Op::kNotStrictlyFalse: {
      const Value value = evaluate_child(node, 0);
      charge(1);
      return value.is(ValueKind::kBool) ? value : Value::boolean(true);
    }
    case Op::kOptionalOr:
      return optional_or(node, false);
    case Op::kOptionalOrValue:
      return optional_or(node, true);
    case Op::kInSet:
      return in_set(node);
    case Op::kCall:
      return call(node);
    case Op::kList:
      return list(node);
    case Op::kMap:
      return map(node);
    case Op::kStruct:
      return structure(node);
    case Op::kLoop:
      return loop(node);
  }
  return no_such_overload();
}

Value Evaluation::local(const Node& node) {
  Slot& slot = slots_[node.data];
  if (slot.initial != nullptr) {
    const Node* initial = std::exchange(slot.initial, nullptr);
    slot.value = evaluate(*initial);
  }
  return slot.value;
}

// A member of a map, as the map's own way of looking keys up finds it.
std::optional<Value> Evaluation::member(const Value& map, const Value& key) {
  if (!map.unescapes()) {
    std::optional<Value> found = map_find(map, key);
    const Value* fallback = map.fallback();
    return found || fallback == nullptr ? found : *fallback;
  }
  Value name = key;
  if (key.is(ValueKind::kString) && is_escaped_name(key.text())) {
    if (const auto unescaped = unescape_name(key.text())) name = context_.string(*unescaped);
  }
  const std::optional<Value> found = map_find(map, name);
  return found ? found->unescaping() : found;
}

// The value at a key; none if it is absent and `if_present`, else an error.
Value Evaluation::qualify(const Value& object, const Value& key, bool if_present) {
  if (object.is(ValueKind::kMap)) {
    // What a schema describes may have a value that does not have its format: an error.
    if (const std::optional<Value> found = member(object, key)) return *found;
    if (if_present) return Value::none();
    return context_.error("no such key: " + print_plain(key));
  }
  if (object.is(ValueKind::kList)) {
    const Value index = evaluation::list_index(context_, key);
    if (index.is_error()) return index;
    if (index.as_int() >= 0 && index.as_int() < object.size()) {
      if (!key.is(ValueKind::kInt) && list_shape(object) != nullptr) {
        return context_.error("unsupported index: " + print_plain(key));
      }
      const Value item = list_item(object, static_cast<uint32_t>(index.as_int()));
      return object.unescapes() ? item.unescaping() : item;
    }
    if (if_present) return Value::none();
    return context_.error("index out of bounds: " + print_plain(key));
  }
  if (object.is(ValueKind::kOpaque) && key.is(ValueKind::kString)) {
    if (const std::optional<Value> found = object.as_opaque()->member(key.text())) return *found;
  }
  if (if_present) return Value::none();
  return context_.error("no such key: " + print_plain(key));
}

Value Evaluation::select(const Node& node) {
  Value object = evaluate_child(node, 0);
  if (object.is_error()) return object;
  bool optional = node.op == Op::kOptionalSelect || node.op == Op::kOptionalIndex;
  if (object.is(ValueKind::kOptional)) {
    if (object.as_optional() == nullptr) return object;
    optional = true;
    object = *object.as_optional();
    // Upstream's Optional hands out the plain document, unless it was made by this very chain.
    if (object.is_typed() && !evaluation::is_selection(child(node, 0).op)) {
      object = from_json(*object.as_typed()->json);
    }
  }
  Value key;
  if (node.op == Op::kIndex || node.op == Op::kOptionalIndex) {
    key = evaluate(child(node, 1), true);
    if (!key.is_error() && !evaluation::is_key(key)) {
      key = context_.error("invalid qualifier type: " + std::string(evaluation::go_type(key)));
    }
    if (key.is_error()) {
      charge(kAttributeCost);
      return key;
    }
  } else {
    key = program_.constants_[node.data];
  }
  const Value value = qualify(object, key, optional);
  if (!optional) {
    charge(kAttributeCost);
    return value;
  }
  const bool absent = value.is(ValueKind::kOptional) && value.as_optional() == nullptr;
  if (absent || value.is_error()) return value;
  charge(kAttributeCost);
  return make_optional(context_.arena(), value);
}

Value Evaluation::has(const Node& node, bool reads) {
  Value object = evaluate_child(node, 0);
  if (object.is_error()) return object;
  // An optional that does not have the key costs nothing.
  const bool optional = object.is(ValueKind::kOptional);
  const Value absent = optional && reads ? Value::none() : Value::boolean(false);
  if (optional) {
    if (object.as_optional() == nullptr) return absent;
    object = *object.as_optional();
    if (object.is_typed() && !evaluation::is_selection(child(node, 0).op)) {
      object = from_json(*object.as_typed()->json);
    }
  }
  const Value& key = program_.constants_[node.data];
  if (object.is(ValueKind::kMap)) {
    const std::optional<Value> found = member(object, key);
    if (!node.free_key && (found || !optional)) charge(kAttributeCost);
    if (!found || found->is_error()) return found.value_or(absent);
    return optional && reads ? make_optional(context_.arena(), *found) : Value::boolean(true);
  }
  if (!node.free_key) charge(kAttributeCost);
  if (object.is(ValueKind::kOpaque)) {
    const std::optional<Value> found = object.as_opaque()->member(key.text());
    return found && found->is_error() ? *found : Value::boolean(found.has_value());
  }
  if (object.is(ValueKind::kList)) return evaluation::list_index(context_, key);
  return absent;
}

// && and ||: `decisive` is the value that decides, whatever the other side is.
Value Evaluation::logical(const Node& node, bool decisive) {
  const Value left = evaluate_child(node, 0);
  if (left.is(ValueKind::kBool) && left.as_bool() == decisive) return left;
  const Value right = evaluate_child(node, 1);
  if (right.is(ValueKind::kBool) && right.as_bool() == decisive) return right;
  for (const Value* side : {&left, &right}) {
    if (side->is_error()) return *side;
    if (!side->is(ValueKind::kBool)) return no_such_overload();
  }
  return Value::boolean(!decisive);
}

Value Evaluation::conditional(const Node& node) {
  const Value condition = evaluate_child(node, 0);
  if (condition.is_error()) return condition;
  if (!condition.is(ValueKind::kBool)) return no_such_overload();
  return evaluate(child(node, condition.as_bool() ? 1 : 2), true);
}

Value Evaluation::equality(const Node& node, bool wanted) {
  const std::array<Value, 2> sides = {evaluate_child(node, 0), evaluate_child(node, 1)};
  // Types of Kubernetes' libraries have a price of their own for ==, but not for !=.
  hurry(sides[0]);
  const bool fixed = wanted && sides[0].is(ValueKind::kOpaque);
  charge(fixed ? 1 : call_cost(CostRule::kSmallerOperand, sides, {}));
  for (const Value& side : sides) {
    if (side.is_error()) return side;
  }
  const Value result = cel::equality(sides[0], sides[1]);
  return wanted ? result : Value::boolean(!result.is_true());
}

Value Evaluation::optional_or(const Node& node, bool unwrap) {
  const Value left = evaluate_child(node, 0);
  if (!left.is(ValueKind::kOptional)) return left;
  if (left.as_optional() == nullptr) return evaluate_child(node, 1);
  return unwrap ? *left.as_optional() : left;
}

Value Evaluation::in_set(const Node& node) {
  const Value element = evaluate_child(node, 0);
  if (element.is_error()) return element;
  return Value::boolean(map_find(program_.constants_[node.data], element).has_value());
}

Value Evaluation::call(const Node& node) {
  const CallSite& site = program_.calls_[node.data];
  constexpr uint32_t kFew = 4;
  std::array<Value, kFew> few;
  std::span<Value> args(few.data(), node.count);
  Value spilled;
  if (node.count > kFew) spilled = make_list(context_.arena(), node.count, args);
  for (uint32_t i = 0; i < node.count; ++i) {
    args[i] = evaluate_child(node, i);
    if (site.variadic && args[i].is_error()) {
      // Upstream charges a call for which all arguments were evaluated.
      if (i + 1 == node.count) charge(call_cost(site.rule, args, args[i]));
      return args[i];
    }
  }
  for (const Value& arg : args) {
    if (!arg.is_error()) continue;
    charge(call_cost(site.rule, args, arg));
    return arg;
  }
  // Before the work where that is known: some functions take time by the square of a size.
  if (!args.empty()) hurry(args.back());
  const bool known = !depends_on_result(site.rule);
  if (known) charge(call_cost(site.rule, args, {}));
  if (cancelled_) return Value::error(evaluation::kCancelled);
  const Value result = invoke(site, args);
  if (!known) charge(call_cost(site.rule, args, result));
  check_memory();
  if (budget_ != nullptr && budget_->exceeded()) cancelled_ = true;
  return result;
}

Value Evaluation::invoke(const CallSite& site, std::span<const Value> args) {
  context_.set_pattern(site.pattern);
  const Overload* overload = site.overload;
  if (overload == nullptr && site.function->overloads[0]->style == CallStyle::kOperator) {
    overload = site.function->overloads[0];
  }
  if (overload != nullptr) {
    const bool guarded =
        overload->style == CallStyle::kPlain || overload->style == CallStyle::kVariadic;
    if (guarded && !evaluation::matches(*overload, args)) return no_overload(site, args);
    return overload->implementation(context_, args);
  }
  for (const Overload* candidate : site.function->overloads) {
    if (evaluation::matches(*candidate, args)) return candidate->implementation(context_, args);
  }
  return no_overload(site, args);
}

// What upstream calls with a pattern that is compiled already does not know its name.
Value Evaluation::no_overload(const CallSite& site, std::span<const Value> args) {
  if (site.pattern != nullptr) return no_such_overload();
  return evaluation::no_overload(context_, site.function->name, args);
}

// One round; false if it was the last one. REQUIRES: the variables are set.
bool Evaluation::iterate(const Node& node) {
  if (evaluate_child(node, 2).is_false()) return false;
  Slot& accumulator = slots_[program_.loops_[node.data].accumulator];
  const Value next = evaluate_child(node, 3);
  check_memory();
  accumulator.value = next;
  accumulator.initial = nullptr;
  return !cancelled_;
}

Value Evaluation::loop(const Node& node) {
  const LoopSite& site = program_.loops_[node.data];
  Value range = evaluate_child(node, 0);
  if (range.is_error()) return range;
  if (range.is(ValueKind::kOpaque) && !site.second_variable) {
    if (const auto items = range.as_opaque()->items()) range = make_list(context_.arena(), *items);
  }
  const bool is_list = range.is(ValueKind::kList);
  if (range.is_typed() && !is_list) range = known_members(context_.arena(), range);
  if (!is_list && !range.is(ValueKind::kMap)) {
    const std::string type(evaluation::go_type(range));
    return context_.error(site.second_variable ? "unsupported comprehension range type: " + type
                                               : "got '" + type + "', expected iterable type");
  }
  slots_[site.accumulator].initial = &child(node, 1);
  for (uint32_t i = 0; i < range.size(); ++i) {
    if (site.second_variable) {
      slots_[site.variable].value =
          is_list ? Value::integer(static_cast<int64_t>(i)) : map_key(range, i);
      slots_[*site.second_variable].value = is_list ? list_item(range, i) : map_value(range, i);
    } else {
      slots_[site.variable].value = is_list ? list_item(range, i) : map_key(range, i);
    }
    if (!iterate(node)) break;
  }
  return evaluate_child(node, 4);
}

}  // namespace proa::cel
