#include "apiserver/access/admission/chain.h"

#include <algorithm>

#include "apiserver/access/admission/kept_managers.h"
#include "apiserver/access/admission/reinvocation.h"
#include "apiserver/request/failures.h"

namespace proa::apiserver {
namespace admission_chain {

constexpr MetricFamily kStep{
    "apiserver_admission_step_admission_duration_seconds",
    "Admission sub-step latency histogram in seconds, broken out for each operation and API "
    "resource and step type (validate or admit).",
    MetricKind::kHistogram,
    {"type", "operation", "rejected"},
    StepTimes::kBounds};
constexpr MetricFamily kStepSummary{
    "apiserver_admission_step_admission_duration_seconds_summary",
    "Admission sub-step latency summary in seconds, broken out for each operation and API resource "
    "and step type (validate or admit).",
    MetricKind::kSummary,
    {"type", "operation", "rejected"}};
constexpr MetricFamily kController{
    "apiserver_admission_controller_admission_duration_seconds",
    "Admission controller latency histogram in seconds, identified by name and broken out for each "
    "operation and API resource and type (validate or admit).",
    MetricKind::kHistogram,
    {"name", "type", "operation", "rejected"},
    StepTimes::kBounds};

}  // namespace admission_chain

AdmissionChain::AdmissionChain(std::vector<NamedPlugin> plugins, const Clock& clock)
    : clock_(&clock), times_(std::make_unique<StepTimes>(StepTimes::Summary::kLastHours)) {
  for (NamedPlugin& plugin : plugins) {
    plugins_.push_back({plugin.name, std::move(plugin.plugin),
                        plugin.name.empty() ? nullptr : std::make_unique<StepTimes>()});
  }
}

template <typename Call>
Result<void> AdmissionChain::each(AdmissionStep step, const Admission& admission,
                                  const Call& call) const {
  for (const Entry& entry : plugins_) {
    if (!entry.plugin->concerns(admission)) continue;
    const Steady begin = clock_->steady();
    Result<void> outcome = call(*entry.plugin);
    if (entry.times != nullptr) {
      entry.times->count(step, admission.operation, !outcome.ok(), begin, clock_->steady());
    }
    if (!outcome) return outcome;
    // Expressions end with the request: a policy whose failures are ignored would let a write pass
    // whose client has left.
    TRY(check_time(admission.request.until, *clock_));
  }
  return {};
}

template <typename Call>
Result<void> AdmissionChain::run(AdmissionStep step, const Admission& admission,
                                 const Call& call) const {
  if (plugins_.empty()) return {};
  const Steady begin = clock_->steady();
  Result<void> outcome = each(step, admission, call);
  times_->count(step, admission.operation, !outcome.ok(), begin, clock_->steady());
  return outcome;
}

Result<void> AdmissionChain::admit(api::Edit object, const Admission& admission) const {
  Reinvocation reinvocation;
  KeptManagers managers;
  Admission round = admission;
  round.reinvocation = &reinvocation;
  round.managers = &managers;
  const auto admit_once = [&] {
    return run(AdmissionStep::kAdmit, round,
               [&](AdmissionPlugin& plugin) { return plugin.admit(object, round); });
  };
  TRY(admit_once());
  if (reinvocation.is_wanted()) {
    reinvocation.begin_second_round();
    TRY(admit_once());
  }
  managers.restore(object, admission.request);
  return {};
}

Result<void> AdmissionChain::admit_deletion(const Admission& admission) const {
  return run(AdmissionStep::kAdmit, admission,
             [&](AdmissionPlugin& plugin) { return plugin.admit_deletion(admission); });
}

Result<void> AdmissionChain::validate(api::View object, const Admission& admission) const {
  return run(AdmissionStep::kValidate, admission,
             [&](AdmissionPlugin& plugin) { return plugin.validate(object, admission); });
}

bool AdmissionChain::concerns(const Admission& admission) const {
  return std::ranges::any_of(plugins_,
                             [&](const Entry& entry) { return entry.plugin->concerns(admission); });
}

std::vector<WriteHook*> AdmissionChain::hooks() const {
  std::vector<WriteHook*> hooks;
  for (const Entry& entry : plugins_) {
    if (WriteHook* hook = entry.plugin->hook()) hooks.push_back(hook);
  }
  return hooks;
}

void AdmissionChain::write_metrics(MetricsText& text) const {
  for (const Entry& entry : plugins_) entry.plugin->write_metrics(text);
  if (times_ == nullptr) return;
  text.begin(admission_chain::kStep);
  times_->write(text, {});
  text.begin(admission_chain::kStepSummary);
  times_->write_summaries(text, clock_->steady());
  text.begin(admission_chain::kController);
  for (const Entry& entry : plugins_) {
    if (entry.times != nullptr) entry.times->write(text, {&entry.name, 1});
  }
}

}  // namespace proa::apiserver
