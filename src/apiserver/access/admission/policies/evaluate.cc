#include "apiserver/access/admission/policies/evaluate.h"

#include "base/strings.h"

namespace proa::apiserver {
namespace evaluate_policies {

constexpr size_t kMaxMessageBytes = 5 * 1024;
constexpr size_t kMaxAnnotationBytes = 10 * 1024;

// The failure policy decides what an error means.
PolicyDecision failed(const Policy& policy, std::string why) {
  return {.denies = policy.failures() == FailurePolicy::kFail, .message = std::move(why)};
}

PolicyDecisions only(PolicyDecision decision) {
  PolicyDecisions decisions;
  decisions.validations.push_back(std::move(decision));
  return decisions;
}

// One evaluation of a policy: three passes over its expressions, each with variables of its own.
class Evaluation {
 public:
  Evaluation(const Policy& policy, const cel::AdmissionInputs& inputs, json::Arena& arena,
             const AdmissionMetrics& metrics)
      : policy_(policy),
        inputs_(inputs),
        without_authorizer_(inputs),
        arena_(arena),
        metrics_(metrics) {
    const cel::AdmissionInputs none{};
    without_authorizer_.authorizer = none.authorizer;
    without_authorizer_.request_resource = none.request_resource;
  }

  PolicyDecisions run() {
    int64_t budget = cel::kPolicyCostBudget;
    const Result<std::vector<Evaluated>> values = evaluate_validations(budget);
    if (!values) return only(failed(policy_, values.status().message()));
    const Result<std::vector<cel::AdmissionValue>> messages = evaluate_messages(budget);
    PolicyDecisions decisions;
    for (size_t i = 0; i < values->size(); ++i) {
      decisions.validations.push_back(
          decide(policy_.validations()[i], (*values)[i].value, messages, i));
      decisions.validations.back().took = (*values)[i].took;
    }
    const Result<void> annotated = annotate(decisions.annotations);
    if (!annotated) return only(failed(policy_, annotated.status().message()));
    return decisions;
  }

 private:
  struct Evaluated {
    cel::AdmissionValue value;
    Duration took;
  };

  Result<Evaluated> evaluate(cel::AdmissionEvaluator& evaluator,
                             const cel::AdmissionExpression& expression, int64_t& budget) const {
    const Steady begin = metrics_.now();
    cel::AdmissionValue value = TRY(evaluator.evaluate(expression, budget));
    return Evaluated{std::move(value), metrics_.since(begin)};
  }

  Result<std::vector<Evaluated>> evaluate_validations(int64_t& budget) {
    cel::AdmissionEvaluator evaluator(arena_, inputs_, &policy_.variables());
    std::vector<Evaluated> values;
    for (const PolicyValidation& validation : policy_.validations()) {
      values.push_back(TRY(evaluate(evaluator, validation.expression, budget)));
    }
    return values;
  }

  // All messages, with what the validations left of the budget, whether they are needed or not.
  Result<std::vector<cel::AdmissionValue>> evaluate_messages(int64_t budget) {
    cel::AdmissionEvaluator evaluator(arena_, without_authorizer_, &policy_.variables());
    std::vector<cel::AdmissionValue> messages;
    for (const PolicyValidation& validation : policy_.validations()) {
      cel::AdmissionValue& made = messages.emplace_back();
      if (!validation.message_expression) continue;
      made = TRY(evaluator.evaluate(*validation.message_expression, budget));
    }
    return messages;
  }

  PolicyDecision decide(const PolicyValidation& validation, const cel::AdmissionValue& value,
                        const Result<std::vector<cel::AdmissionValue>>& messages, size_t index) {
    if (value.error) return failed(policy_, *value.error);
    if (!messages) {
      return failed(policy_, "failed messageExpression: " + messages.status().message());
    }
    if (value.value.is_true()) return {};
    return {.denies = true,
            .message = message_of(validation, (*messages)[index]),
            .reason = validation.reason};
  }

  static std::string message_of(const PolicyValidation& validation,
                                const cel::AdmissionValue& message) {
    if (!message.error && message.value.is(cel::ValueKind::kString)) {
      const std::string_view text = trim(message.value.text());
      const bool usable =
          text.size() <= kMaxMessageBytes && text.find('\n') == std::string_view::npos;
      if (usable && !text.empty()) return std::string(text);
    }
    if (!validation.message.empty()) {
      const std::string_view text = trim(validation.message);
      if (!text.empty()) return std::string(text);
    }
    return "failed expression: " + std::string(trim(validation.expression.source));
  }

  Result<void> annotate(std::vector<AnnotationDecision>& annotations) {
    cel::AdmissionEvaluator evaluator(arena_, without_authorizer_, &policy_.variables());
    int64_t budget = cel::kPolicyCostBudget;
    for (const PolicyAnnotation& annotation : policy_.annotations()) {
      const Evaluated evaluated = TRY(evaluate(evaluator, annotation.value, budget));
      const cel::AdmissionValue& made = evaluated.value;
      AnnotationDecision& decision = annotations.emplace_back();
      decision.took = evaluated.took;
      decision.key = annotation.key;
      if (made.error) {
        if (policy_.failures() == FailurePolicy::kIgnore) continue;
        decision.action = AnnotationDecision::Action::kDeny;
        decision.value = *made.error;
      } else if (made.value.is(cel::ValueKind::kString)) {
        const std::string_view text = trim(made.value.text());
        if (text.empty()) continue;
        decision.action = AnnotationDecision::Action::kPublish;
        decision.value = text.substr(0, kMaxAnnotationBytes);
      }
    }
    return {};
  }

  const Policy& policy_;
  const cel::AdmissionInputs& inputs_;
  cel::AdmissionInputs without_authorizer_;
  json::Arena& arena_;
  const AdmissionMetrics& metrics_;
};

}  // namespace evaluate_policies

Result<PolicyDecisions> evaluate_policy(const Policy& policy, const Matched& matched,
                                        api::View param, RequestInputs& inputs,
                                        AdmissionMetrics& metrics) {
  json::Arena& arena = inputs.arena();
  const cel::AdmissionInputs values = TRY(inputs.for_policy(matched, param));
  if (!policy.conditions().empty()) {
    const cel::AdmissionInputs seen = TRY(inputs.for_conditions(matched, param));
    const Result<bool> matches =
        policy.conditions().match(seen, arena,
                                  {.metrics = metrics,
                                   .owner = policy.condition_owner(),
                                   .operation = inputs.subject().admission().operation},
                                  &policy.variables());
    if (!matches) {
      return evaluate_policies::only(evaluate_policies::failed(policy, matches.status().message()));
    }
    if (!*matches) return PolicyDecisions();
  }
  return evaluate_policies::Evaluation(policy, values, arena, metrics).run();
}

}  // namespace proa::apiserver
