#include "cel/validation/schema_rules.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "cel/validation/correlation.h"
#include "cel/values/typed.h"

namespace proa::cel {
namespace schema_rules {

constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";
constexpr size_t kLongestMessage = 5 * 1024;
constexpr size_t kKeptMemory = size_t{64} * 1024;

// A value that is checked: where it is, and what it was.
struct Place {
  const api::Path& path;
  const json::Value& value;
  const json::Value* old = nullptr;  // null: there is none
  Ratchet ratchet;
};

const json::Value* not_null(const json::Value* value) {
  return value == nullptr || value->is_null() ? nullptr : value;
}

// One object. Stops when the budget is used up.
class Validation {
 public:
  Validation(const SchemaRules::Check& check, api::FieldErrors& errors,
             std::vector<std::string>& warnings)
      : errors_(errors), warnings_(warnings), budget_(check.budget), work_(check.work) {}

  std::optional<uint64_t> remaining() const {
    return stopped_ ? std::nullopt : std::optional(budget_);
  }

  void check(const RuleNode& node, const Place& place) {
    if (place.value.is_null()) return;
    if (work_ != nullptr && !work_->take_steps(1)) stopped_ = true;
    check_rules(node, place);
    for (const auto& part : node.all_of) {
      if (stopped_) return;
      check(*part, {.path = place.path,
                    .value = place.value,
                    .old = place.old,
                    .ratchet = place.ratchet.outside()});
    }
    if (stopped_) return;
    if (place.value.is(json::Kind::kArray)) check_items(node, place);
    if (place.value.is(json::Kind::kObject)) check_members(node, place);
  }

 private:
  void check_items(const RuleNode& node, const Place& place) {
    if (node.element == nullptr || node.shape->kind != ShapeKind::kList) return;
    for (size_t i = 0; i < place.value.items().size() && !stopped_; ++i) {
      const api::Path path = place.path.index(i);
      const json::Value& item = place.value.items()[i];
      check(*node.element, {.path = path,
                            .value = item,
                            .old = not_null(correlated_item(*node.shape, place.old, item)),
                            .ratchet = place.ratchet.item(i)});
    }
  }

  void check_members(const RuleNode& node, const Place& place) {
    for (const json::Member& member : place.value.members()) {
      if (stopped_) return;
      const auto property = node.properties.find(member.key);
      const bool known = property != node.properties.end();
      const RuleNode* inner = known ? property->second.get() : node.element.get();
      if (inner == nullptr || (!known && node.shape->kind != ShapeKind::kMap)) continue;
      const api::Path path = known ? place.path.field(member.key) : place.path.key(member.key);
      const json::Value* old = place.old == nullptr ? nullptr : place.old->find(member.key);
      check(*inner, {.path = path,
                     .value = member.value,
                     .old = not_null(old),
                     .ratchet = place.ratchet.member(member.key)});
    }
  }

  void check_rules(const RuleNode& node, const Place& place) {
    if (node.rules.empty() || stopped_) return;
    if (budget_ == 0) return stop(node, place);
    Arena arena;
    // Messages do not see it unless one of the rules does.
    const bool used = std::any_of(node.rules.begin(), node.rules.end(), [](const SchemaRule& rule) {
      return rule.compiled.uses_old_self;
    });
    for (const SchemaRule& rule : node.rules) {
      if (stopped_) return;
      if (!rule.compiled.error.empty()) {
        errors_.invalid(place.path, schema_type(*node.shape),
                        "rule compile error: " + rule.compiled.error);
        continue;
      }
      if (rule.compiled.program == nullptr) continue;
      // A transition needs a state that it starts from.
      if (rule.compiled.uses_old_self && place.old == nullptr && !rule.optional_old_self) continue;
      // What a rule leaves behind ends with it, unless it is little.
      if (arena.reserved() > kKeptMemory) arena = Arena();
      const Value self = typed_value(arena, place.value, *node.shape);
      const Value old = place.old == nullptr || !used
                            ? Value::error("no such attribute(s): oldSelf")
                            : typed_value(arena, *place.old, *node.shape);
      const Value optional = optional_old_self(arena, place.old, *node.shape);
      const Value values[] = {self, rule.optional_old_self ? optional : old};
      const Value plain[] = {self, old};
      check_rule(node, place, rule, values, plain, arena);
    }
  }

  // The request fails as a whole.
  bool is_out_of_work() {
    if (work_ != nullptr && work_->exceeded()) stopped_ = true;
    return stopped_;
  }

  // False if the budget does not suffice.
  bool pay(uint64_t cost) {
    if (cost > budget_) return false;
    budget_ -= cost;
    return true;
  }

  void stop(const RuleNode& node, const Place& place) {
    errors_.invalid(place.path, schema_type(*node.shape), kOutOfBudget);
    stopped_ = true;
  }

  // `plain`: the variables of messages, where oldSelf is not optional.
  void check_rule(const RuleNode& node, const Place& place, const SchemaRule& rule,
                  std::span<const Value> values, std::span<const Value> plain, Arena& arena) {
    const Outcome outcome = rule.compiled.program->evaluate(values, arena, kRuleCostLimit, work_);
    if (is_out_of_work()) return;
    if (!pay(outcome.cost)) return stop(node, place);
    if (outcome.value.is_true()) return;
    if (outcome.value.is_error()) return report_error(node, place, rule, outcome);
    std::string detail = rule.message.empty() ? "failed rule: " + rule.text : rule.message;
    if (rule.compiled.message != nullptr) {
      const Outcome message = rule.compiled.message->evaluate(plain, arena, kRuleCostLimit, work_);
      if (is_out_of_work()) return;
      if (const std::string problem = message_problem(message, rule); !problem.empty()) {
        stopped_ = true;
        return report(place, rule, [&](const api::Path& path, api::FieldErrors& errors) {
          errors.invalid(path, schema_type(*node.shape), problem);
        });
      }
      if (const std::optional<std::string> text = message_text(message)) detail = *text;
    }
    report(place, rule, [&](const api::Path& path, api::FieldErrors& errors) {
      add_failure(path, rule.reason, place.value, detail, errors);
    });
  }

  void report_error(const RuleNode& node, const Place& place, const SchemaRule& rule,
                    const Outcome& outcome) {
    const std::string error(outcome.value.text());
    std::string detail = error + " evaluating rule: " + rule.name();
    if (outcome.cancelled) {
      detail = "'" + error +
               "': no further validation rules will be run due to call cost exceeds limit for "
               "rule: " +
               rule.name();
      stopped_ = true;
    } else if (error.starts_with("no such overload")) {
      detail = "'" + error +
               "': call arguments did not match a supported operator, function or macro signature "
               "for rule: " +
               rule.name();
    }
    errors_.invalid(place.path, schema_type(*node.shape), detail);
  }

  // Why a message ends the check; empty if it does not.
  std::string message_problem(const Outcome& message, const SchemaRule& rule) {
    if (!pay(message.cost)) {
      return "messageExpression evaluation failed due to running out of cost budget, no further "
             "validation rules will be run";
    }
    if (message.cancelled) {
      return "no further validation rules will be run due to call cost exceeds limit for "
             "messageExpression: " +
             api::quoted(rule.message_expression);
    }
    return {};
  }

  // Nullopt if there is no message that can be shown: the rule's own one is, then.
  static std::optional<std::string> message_text(const Outcome& message) {
    if (!message.value.is(ValueKind::kString)) return std::nullopt;
    const std::string_view text = trim(message.value.text());
    if (text.empty() || text.size() > kLongestMessage ||
        text.find('\n') != std::string_view::npos) {
      return std::nullopt;
    }
    return std::string(text);
  }

  static void add_failure(const api::Path& path, RuleReason reason, const json::Value& value,
                          std::string_view detail, api::FieldErrors& errors) {
    const bool large = value.is(json::Kind::kArray) || value.is(json::Kind::kObject);
    switch (reason) {
      case RuleReason::kForbidden:
        return errors.forbidden(path, detail);
      case RuleReason::kRequired:
        return errors.required(path, detail);
      case RuleReason::kDuplicate:
        return large ? errors.duplicate_whole(path) : errors.duplicate(path, value);
      case RuleReason::kInvalid:
        return large ? errors.invalid_whole(path, detail) : errors.invalid(path, value, detail);
    }
  }

  // An error, or a warning if the value did not change.
  template <typename Add>
  void report(const Place& place, const SchemaRule& rule, const Add& add) {
    const bool is_warning = !rule.compiled.uses_old_self && place.ratchet.allows();
    api::FieldErrors aside;
    api::FieldErrors& errors = is_warning ? aside : errors_;
    if (rule.field_path.empty()) {
      add(place.path, errors);
    } else {
      const api::Path inner = place.path.field(rule.field_path);
      add(inner, errors);
    }
    for (std::string& text : aside.texts()) warnings_.push_back(std::move(text));
  }

  api::FieldErrors& errors_;
  std::vector<std::string>& warnings_;
  uint64_t budget_;
  Budget* work_;
  bool stopped_ = false;
};

size_t memory(const RuleNode* node) {
  if (node == nullptr) return 0;
  size_t sum = sizeof(*node) + node->rules.capacity() * sizeof(SchemaRule);
  for (const SchemaRule& rule : node->rules) {
    sum += rule.text.capacity() + rule.message.capacity() + rule.field_path.capacity();
    if (rule.compiled.program != nullptr) sum += rule.compiled.program->memory();
    if (rule.compiled.message != nullptr) sum += rule.compiled.message->memory();
  }
  sum += memory(node->element.get());
  for (const auto& [name, property] : node->properties) {
    sum += name.capacity() + sizeof(void*) * 8 + memory(property.get());
  }
  for (const auto& part : node->all_of) sum += memory(part.get());
  return sum;
}

}  // namespace schema_rules

SchemaRules::SchemaRules(const json::Value& schema, int minor_version, bool resource_root)
    : shapes_(schema, resource_root), root_(compile_rules(schema, shapes_.root(), minor_version)) {}

size_t SchemaRules::memory() const {
  return sizeof(*this) + shapes_.memory() + schema_rules::memory(root_.get());
}

std::optional<uint64_t> SchemaRules::validate(const Check& check, api::FieldErrors& errors,
                                              std::vector<std::string>& warnings) const {
  if (root_ == nullptr) return check.budget;
  schema_rules::Validation validation(check, errors, warnings);
  const api::Path path;
  const json::Value* old = schema_rules::not_null(check.old);
  validation.check(*root_, {.path = path,
                            .value = *check.object,
                            .old = old,
                            .ratchet = Ratchet(*check.object, check.ratcheting ? old : nullptr,
                                               shapes_.root())});
  return validation.remaining();
}

}  // namespace proa::cel
