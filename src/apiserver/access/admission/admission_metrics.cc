#include "apiserver/access/admission/admission_metrics.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace proa::apiserver {
namespace admission_metrics {

constexpr double kReviewBounds[] = {0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25};
constexpr double kConditionBounds[] = {0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25};
constexpr double kExpressionBounds[] = {0.0000005, 0.001, 0.01, 0.1, 1};

constexpr MetricFamily kReviewSeconds{
    "apiserver_admission_webhook_admission_duration_seconds",
    "Admission webhook latency histogram in seconds, identified by name and broken out for each "
    "operation and API resource and type (validate or admit).",
    MetricKind::kHistogram,
    {"name", "type", "operation", "rejected"},
    kReviewBounds};
constexpr MetricFamily kReviews{
    "apiserver_admission_webhook_request_total",
    "Admission webhook request total, identified by name and broken out for each admission type "
    "and operation, with the HTTP status code and whether the request was rejected.",
    MetricKind::kCounter,
    {"name", "type", "operation", "code", "rejected"}};
constexpr MetricFamily kRejections{
    "apiserver_admission_webhook_rejection_count",
    "Admission webhook rejection count, identified by name and broken out for each admission type "
    "and operation, with the type of error and the HTTP status code of the rejection.",
    MetricKind::kCounter,
    {"name", "type", "operation", "error_type", "rejection_code"}};
constexpr MetricFamily kFailedOpen{
    "apiserver_admission_webhook_fail_open_count",
    "Admission webhook fail open count, identified by name and broken out for each admission type.",
    MetricKind::kCounter,
    {"name", "type"}};
constexpr MetricFamily kConditionSeconds{
    "apiserver_admission_match_condition_evaluation_seconds",
    "Admission match condition evaluation time in seconds, of conditions that failed or were "
    "false.",
    MetricKind::kHistogram,
    {"name", "kind", "type", "operation"},
    kConditionBounds};
constexpr MetricFamily kConditionErrors{
    "apiserver_admission_match_condition_evaluation_errors_total",
    "Admission match condition evaluation errors count, identified by name of resource containing "
    "the match condition.",
    MetricKind::kCounter,
    {"name", "kind", "type", "operation"}};
constexpr MetricFamily kConditionExclusions{
    "apiserver_admission_match_condition_exclusions_total",
    "Admission match condition evaluation exclusions count, identified by name of resource "
    "containing the match condition.",
    MetricKind::kCounter,
    {"name", "kind", "type", "operation"}};
constexpr MetricFamily kValidations{
    "apiserver_validating_admission_policy_check_total",
    "Validation admission policy check total, labeled by policy and further identified by binding "
    "and enforcement action taken.",
    MetricKind::kCounter,
    {"policy", "policy_binding", "error_type", "enforcement_action"}};
constexpr MetricFamily kValidationSeconds{
    "apiserver_validating_admission_policy_check_duration_seconds",
    "Validation admission latency for individual validation expressions in seconds, labeled by "
    "policy and further including binding and enforcement action taken.",
    MetricKind::kHistogram,
    {"policy", "policy_binding", "error_type", "enforcement_action"},
    kExpressionBounds};
constexpr MetricFamily kMutations{
    "apiserver_mutating_admission_policy_check_total",
    "Mutation admission policy check total, labeled by policy and further identified by binding.",
    MetricKind::kCounter,
    {"policy", "policy_binding", "error_type"}};
constexpr MetricFamily kMutationSeconds{
    "apiserver_mutating_admission_policy_check_duration_seconds",
    "Mutation admission latency for individual mutation expressions in seconds, labeled by policy "
    "and binding.",
    MetricKind::kHistogram,
    {"policy", "policy_binding", "error_type"},
    kExpressionBounds};

double seconds(Duration took) { return std::chrono::duration<double>(took).count(); }

// A webhook may answer with any number.
std::string code_text(int code) { return std::to_string(std::min(code, 600)); }

// As upstream, by how the message begins: ErrorType() of its policies.
std::string_view error_type(std::string_view error) {
  if (error.empty()) return "no_error";
  if (error.starts_with("compilation")) return "compile_error";
  if (error.starts_with("validation failed due to running out of cost budget"))
    return "out_of_budget";
  return "invalid_error";
}

std::string_view error_type(ReviewOutcome::Is is) {
  switch (is) {
    case ReviewOutcome::Is::kFailed:
      return "calling_webhook_error";
    case ReviewOutcome::Is::kInternal:
      return "apiserver_internal_error";
    case ReviewOutcome::Is::kAllowed:
    case ReviewOutcome::Is::kRefused:
      break;
  }
  return "no_error";
}

// Upstream has another word here than in all other metrics.
std::string_view review_type(AdmissionStep step) {
  return step == AdmissionStep::kAdmit ? "admit" : "validating";
}

std::string_view condition_type(const ConditionOwner& owner) {
  return owner.kind == ConditionOwner::Kind::kWebhook ? review_type(owner.step)
                                                      : step_name(owner.step);
}

std::string_view kind_name(ConditionOwner::Kind kind) {
  return kind == ConditionOwner::Kind::kWebhook ? "webhook" : "policy";
}

}  // namespace admission_metrics

AdmissionMetrics::AdmissionMetrics(const Clock& clock)
    : clock_(clock),
      review_seconds_(admission_metrics::kReviewSeconds),
      reviews_(admission_metrics::kReviews),
      rejections_(admission_metrics::kRejections),
      failed_open_(admission_metrics::kFailedOpen),
      condition_seconds_(admission_metrics::kConditionSeconds),
      condition_errors_(admission_metrics::kConditionErrors),
      condition_exclusions_(admission_metrics::kConditionExclusions),
      validations_(admission_metrics::kValidations),
      validation_seconds_(admission_metrics::kValidationSeconds),
      mutations_(admission_metrics::kMutations),
      mutation_seconds_(admission_metrics::kMutationSeconds) {}

void AdmissionMetrics::count_review(std::string_view webhook, AdmissionStep step,
                                    Operation operation, const ReviewOutcome& outcome,
                                    Duration took) {
  using namespace admission_metrics;  // NOLINT: of this file only
  const std::string_view type = review_type(step);
  const std::string_view name = operation_name(operation);
  const bool is_rejected = outcome.is != ReviewOutcome::Is::kAllowed && !outcome.ignored;
  const std::string_view rejected = is_rejected ? "true" : "false";
  const std::string code = code_text(outcome.code);
  reviews_.at({webhook, type, name, code, rejected}).add();
  review_seconds_.at({webhook, type, name, rejected}).observe(seconds(took));
  if (is_rejected) rejections_.at({webhook, type, name, error_type(outcome.is), code}).add();
  if (outcome.ignored) failed_open_.at({webhook, type}).add();
}

void AdmissionMetrics::count_mismatch(const ConditionOwner& owner, Operation operation,
                                      size_t errors, Duration took) {
  const std::initializer_list<std::string_view> labels{
      owner.name, admission_metrics::kind_name(owner.kind),
      admission_metrics::condition_type(owner), operation_name(operation)};
  condition_seconds_.at(labels).observe(admission_metrics::seconds(took));
  if (errors > 0) condition_errors_.at(labels).add(errors);
}

void AdmissionMetrics::count_exclusion(const ConditionOwner& owner, Operation operation) {
  condition_exclusions_
      .at({owner.name, admission_metrics::kind_name(owner.kind), step_name(owner.step),
           operation_name(operation)})
      .add();
}

void AdmissionMetrics::count_validation(const PolicyCheck& check, std::string_view action) {
  const std::string_view type = admission_metrics::error_type(check.error);
  validations_.at({check.policy, check.binding, type, action}).add();
  validation_seconds_.at({check.policy, check.binding, type, action})
      .observe(admission_metrics::seconds(check.took));
}

void AdmissionMetrics::count_mutation(const PolicyCheck& check) {
  const std::string_view type = admission_metrics::error_type(check.error);
  mutations_.at({check.policy, check.binding, type}).add();
  mutation_seconds_.at({check.policy, check.binding, type})
      .observe(admission_metrics::seconds(check.took));
}

void AdmissionMetrics::write(MetricsText& text) const {
  review_seconds_.write(text);
  reviews_.write(text);
  rejections_.write(text);
  failed_open_.write(text);
  condition_seconds_.write(text);
  condition_errors_.write(text);
  condition_exclusions_.write(text);
  validations_.write(text);
  validation_seconds_.write(text);
  mutations_.write(text);
  mutation_seconds_.write(text);
}

}  // namespace proa::apiserver
