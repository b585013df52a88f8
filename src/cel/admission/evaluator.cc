#include "cel/admission/evaluator.h"

#include <array>

#include "cel/expression/rule.h"
#include "cel/values/context.h"

namespace proa::cel {
namespace admission_evaluator {

constexpr Type kVariables{.kind = TypeKind::kOpaque, .name = kVariablesTypeName};

Status out_of_budget() {
  return {Reason::kInvalid,
          "validation failed due to running out of cost budget, no further validation rules will "
          "be run"};
}

}  // namespace admission_evaluator

// The value of `variables`.
class LazyVariables final : public Opaque {
 public:
  explicit LazyVariables(AdmissionEvaluator& evaluator)
      : Opaque(admission_evaluator::kVariables), evaluator_(evaluator) {}
  bool equals(const Opaque& other) const override { return &other == this; }
  std::string print() const override { return {}; }
  std::optional<Value> member(std::string_view name) const override {
    return evaluator_.variable(name);
  }

 private:
  AdmissionEvaluator& evaluator_;
};

Outcome AdmissionEvaluator::run(const AdmissionExpression& expression, Arena& arena) {
  constexpr size_t kMost = 8;
  std::array<Value, kMost> values;
  size_t count = 0;
  for (const Value& value :
       {inputs_.object, inputs_.old_object, inputs_.name_space, inputs_.request}) {
    values[count++] = value;
  }
  if (expression.uses.variables) values[count++] = Context(arena).opaque<LazyVariables>(*this);
  if (expression.uses.params) values[count++] = inputs_.params;
  if (expression.uses.authorizer) {
    values[count++] = inputs_.authorizer;
    values[count++] = inputs_.request_resource;
  }
  return expression.program->evaluate(std::span(values.data(), count), arena, kRuleCostLimit,
                                      inputs_.budget);
}

std::optional<Value> AdmissionEvaluator::variable(std::string_view name) {
  if (variables_ == nullptr) return std::nullopt;
  const auto found = variables_->find(name);
  if (found == variables_->end()) return std::nullopt;
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  const AdmissionExpression& expression = found->second;
  const std::string quoted = "composited variable \"" + std::string(name) + "\" fails to ";
  if (!expression.error.empty()) {
    const Value failure = make_error(arena_, quoted + "compile: " + expression.error);
    return known_.emplace(name, failure).first->second;
  }
  if (nested_ == kMostNested) return make_error(arena_, quoted + "evaluate: nested too deeply");
  // A variable that replaces one of the same name may mention itself.
  known_.emplace(name, make_error(arena_, quoted + "evaluate: it refers to itself"));
  ++nested_;
  const Outcome outcome = run(expression, arena_);
  --nested_;
  variables_cost_ += outcome.cost;
  const Value value =
      outcome.value.is_error()
          ? make_error(arena_, quoted + "evaluate: " + std::string(outcome.value.text()))
          : outcome.value;
  return known_.insert_or_assign(std::string(name), value).first->second;
}

Result<AdmissionValue> AdmissionEvaluator::evaluate(const AdmissionExpression& expression,
                                                    int64_t& budget) {
  AdmissionValue made;
  if (!expression.error.empty()) {
    made.error = "compilation error: " + expression.error;
    return made;
  }
  variables_cost_ = 0;
  scratch_ = {};
  const Outcome outcome = run(expression, scratch_);
  if (inputs_.budget != nullptr) TRY(inputs_.budget->check());
  const uint64_t cost = variables_cost_ + outcome.cost;
  if (cost > static_cast<uint64_t>(budget)) {
    budget = -1;
    return admission_evaluator::out_of_budget();
  }
  budget -= static_cast<int64_t>(cost);
  if (outcome.value.is_error()) {
    made.error = "expression '" + expression.source +
                 "' resulted in error: " + std::string(outcome.value.text());
    return made;
  }
  made.value = outcome.value;
  if (made.value.is(ValueKind::kString)) {
    made.value = Value::string(arena_.copy(made.value.text()));
    if (inputs_.budget != nullptr) inputs_.budget->holds(arena_.reserved());
  }
  return made;
}

}  // namespace proa::cel
