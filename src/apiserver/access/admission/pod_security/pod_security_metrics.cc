#include "apiserver/access/admission/pod_security/pod_security_metrics.h"

namespace proa::apiserver::pod_security {
namespace pod_security_metrics {

// The release of the API that this server has: later ones are not known.
constexpr int64_t kMinor = 36;

constexpr MetricFamily kEvaluations{
    "pod_security_evaluations_total",
    "Evaluations of a policy; exempt requests and those without effect do not count.",
    MetricKind::kCounter,
    {"decision", "policy_level", "policy_version", "mode", "request_operation", "resource",
     "subresource"}};
constexpr MetricFamily kExemptions{"pod_security_exemptions_total",
                                   "Requests that are exempt from Pod Security.",
                                   MetricKind::kCounter,
                                   {"request_operation", "resource", "subresource"}};
constexpr MetricFamily kErrors{
    "pod_security_errors_total",
    "Errors of evaluations; after one that is not fatal, the strictest policy may have been used.",
    MetricKind::kCounter,
    {"fatal", "request_operation", "resource", "subresource"}};

std::string version_of(const Standard& standard) {
  if (standard.version.latest || standard.level == Level::kPrivileged) return "latest";
  return standard.version.minor > kMinor ? "future" : standard.version.str();
}

std::string_view operation_of(const Admission& admission) {
  return admission.operation == Operation::kCreate ? "create" : "update";
}

// Whatever is neither has a template of pods.
std::string_view resource_of(const Admission& admission) {
  const api::Resource& resource = *admission.request.resource;
  if (!resource.group.empty()) return "controller";
  if (resource.name == "pods") return "pod";
  return resource.name == "namespaces" ? "namespace" : "controller";
}

std::string_view subresource_of(const Admission& admission) {
  const api::Subresource* subresource = admission.request.subresource;
  return subresource == nullptr ? std::string_view() : subresource->name;
}

}  // namespace pod_security_metrics

PodSecurityMetrics::PodSecurityMetrics()
    : evaluations_(pod_security_metrics::kEvaluations),
      exemptions_(pod_security_metrics::kExemptions),
      errors_(pod_security_metrics::kErrors),
      privileged_creates_(
          evaluations_.at({"allow", "privileged", "latest", "enforce", "create", "pod", ""})),
      privileged_updates_(
          evaluations_.at({"allow", "privileged", "latest", "enforce", "update", "pod", ""})) {
  // Upstream shows these before their first use, too.
  for (const std::string_view operation : {"create", "update"}) {
    for (const std::string_view resource : {"pod", "controller"})
      exemptions_.at({operation, resource, ""});
  }
}

void PodSecurityMetrics::count_evaluation(bool allowed, const Standard& standard,
                                          std::string_view mode, const Admission& admission) {
  using namespace pod_security_metrics;  // NOLINT: of this file only
  const std::string_view resource = resource_of(admission);
  if (allowed && standard.level == Level::kPrivileged && mode == "enforce" && resource == "pod" &&
      admission.request.subresource == nullptr) {
    const bool creates = admission.operation == Operation::kCreate;
    return (creates ? privileged_creates_ : privileged_updates_).add();
  }
  evaluations_
      .at({allowed ? "allow" : "deny", level_name(standard.level), version_of(standard), mode,
           operation_of(admission), resource, subresource_of(admission)})
      .add();
}

void PodSecurityMetrics::count_exemption(const Admission& admission) {
  using namespace pod_security_metrics;  // NOLINT: of this file only
  exemptions_.at({operation_of(admission), resource_of(admission), subresource_of(admission)})
      .add();
}

void PodSecurityMetrics::count_error(bool fatal, const Admission& admission) {
  using namespace pod_security_metrics;  // NOLINT: of this file only
  errors_
      .at({fatal ? "true" : "false", operation_of(admission), resource_of(admission),
           subresource_of(admission)})
      .add();
}

void PodSecurityMetrics::write(MetricsText& text) const {
  evaluations_.write(text);
  exemptions_.write(text);
  errors_.write(text);
}

}  // namespace proa::apiserver::pod_security
