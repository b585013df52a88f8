#include "apiserver/access/authz/authorization_metrics.h"

#include <chrono>

#include "base/check.h"

namespace proa::apiserver {
namespace authorization_metrics {

constexpr double kConditionBounds[] = {0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25};
constexpr double kCallBounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

constexpr MetricFamily kDecisions{
    "apiserver_authorization_decisions_total",
    "Total number of terminal decisions made by an authorizer split by authorizer type, name, and "
    "decision.",
    MetricKind::kCounter,
    {"type", "name", "decision"}};
constexpr MetricFamily kConditionErrors{
    "apiserver_authorization_match_condition_evaluation_errors_total",
    "Total number of errors when an authorization webhook encounters a match condition error split "
    "by authorizer type and name.",
    MetricKind::kCounter,
    {"type", "name"}};
constexpr MetricFamily kConditionExclusions{
    "apiserver_authorization_match_condition_exclusions_total",
    "Total number of exclusions when an authorization webhook is skipped because match conditions "
    "exclude it.",
    MetricKind::kCounter,
    {"type", "name"}};
constexpr MetricFamily kConditionSeconds{
    "apiserver_authorization_match_condition_evaluation_seconds",
    "Authorization match condition evaluation time in seconds, split by authorizer type and name.",
    MetricKind::kHistogram,
    {"type", "name"},
    kConditionBounds};
constexpr MetricFamily kCalls{"apiserver_authorization_webhook_evaluations_total",
                              "Round-trips to authorization webhooks.",
                              MetricKind::kCounter,
                              {"name", "result"}};
constexpr MetricFamily kCallSeconds{"apiserver_authorization_webhook_duration_seconds",
                                    "Request latency in seconds.",
                                    MetricKind::kHistogram,
                                    {"name", "result"},
                                    kCallBounds};
constexpr MetricFamily kFailedOpen{"apiserver_authorization_webhook_evaluations_fail_open_total",
                                   "NoOpinion results due to webhook timeout or error.",
                                   MetricKind::kCounter,
                                   {"name", "result"}};

// Doubles from a millisecond, 15 times.
constexpr double kAttemptBounds[] = {0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128,
                                     0.256, 0.512, 1.024, 2.048, 4.096, 8.192, 16.384};
constexpr MetricFamily kAttempts{"authorization_attempts_total",
                                 "Authorizations of requests, by result.",
                                 MetricKind::kCounter,
                                 {"result"}};
constexpr MetricFamily kAttemptSeconds{"authorization_duration_seconds",
                                       "How long it took to authorize a request, by result.",
                                       MetricKind::kHistogram,
                                       {"result"},
                                       kAttemptBounds};
// By Decision.
constexpr std::string_view kResults[] = {"allowed", "denied", "no-opinion"};

// Only webhooks have conditions.
constexpr std::string_view kWebhook = "Webhook";

double seconds(Duration took) { return std::chrono::duration<double>(took).count(); }

}  // namespace authorization_metrics

AuthorizationMetrics::AuthorizationMetrics()
    : decisions_(authorization_metrics::kDecisions),
      condition_errors_(authorization_metrics::kConditionErrors),
      condition_exclusions_(authorization_metrics::kConditionExclusions),
      condition_seconds_(authorization_metrics::kConditionSeconds),
      calls_(authorization_metrics::kCalls),
      call_seconds_(authorization_metrics::kCallSeconds),
      failed_open_(authorization_metrics::kFailedOpen) {}

Counter& AuthorizationMetrics::decisions(std::string_view type, std::string_view name,
                                         Decision decision) {
  CHECK(decision != Decision::kNoOpinion);
  return decisions_.at({type, name, decision == Decision::kAllow ? "allowed" : "denied"});
}

void AuthorizationMetrics::count_conditions(std::string_view webhook,
                                            const Conditions& conditions) {
  using namespace authorization_metrics;  // NOLINT: of this file only
  condition_seconds_.at({kWebhook, webhook}).observe(seconds(conditions.took));
  if (conditions.failed) condition_errors_.at({kWebhook, webhook}).add();
  if (conditions.excluded) condition_exclusions_.at({kWebhook, webhook}).add();
}

void AuthorizationMetrics::count_call(std::string_view webhook, std::string_view result,
                                      Duration took) {
  calls_.at({webhook, result}).add();
  call_seconds_.at({webhook, result}).observe(authorization_metrics::seconds(took));
}

void AuthorizationMetrics::count_failed_open(std::string_view webhook, std::string_view result) {
  failed_open_.at({webhook, result}).add();
}

void AuthorizationMetrics::write(MetricsText& text) const {
  decisions_.write(text);
  condition_errors_.write(text);
  condition_exclusions_.write(text);
  condition_seconds_.write(text);
  calls_.write(text);
  call_seconds_.write(text);
  failed_open_.write(text);
}

AuthorizationAttempts::AuthorizationAttempts(const Clock& clock)
    : clock_(clock),
      seconds_{Histogram(authorization_metrics::kAttemptBounds),
               Histogram(authorization_metrics::kAttemptBounds),
               Histogram(authorization_metrics::kAttemptBounds)} {}

void AuthorizationAttempts::end(Steady begin, Decision decision) {
  const auto index = static_cast<size_t>(decision);
  attempts_[index].add();
  seconds_[index].observe(authorization_metrics::seconds(clock_.steady() - begin));
}

void AuthorizationAttempts::write(MetricsText& text) const {
  using namespace authorization_metrics;  // NOLINT: of this file only
  // As upstream, there is no series before its first use.
  text.begin(kAttempts);
  for (size_t i = 0; i < kDecisions; ++i) {
    if (attempts_[i].value() != 0) text.add({&kResults[i], 1}, attempts_[i].value());
  }
  text.begin(kAttemptSeconds);
  for (size_t i = 0; i < kDecisions; ++i) {
    if (attempts_[i].value() != 0) text.add({&kResults[i], 1}, seconds_[i]);
  }
}

}  // namespace proa::apiserver
