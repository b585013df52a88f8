#include "apiserver/front/audit/events/audit_metrics.h"

namespace proa::apiserver::audit {
namespace audit_metrics {

constexpr MetricFamily kEvents{"apiserver_audit_event_total",
                               "Counter of audit events generated and sent to the audit backend.",
                               MetricKind::kCounter};
constexpr MetricFamily kErrors{
    "apiserver_audit_error_total",
    "Counter of audit events that failed to be audited properly. Plugin identifies the plugin "
    "affected by the error.",
    MetricKind::kCounter,
    {"plugin"}};
constexpr MetricFamily kRequests{"apiserver_audit_level_total",
                                 "Counter of policy levels for audit events (1 per request).",
                                 MetricKind::kCounter,
                                 {"level"}};
constexpr MetricFamily kRejected{
    "apiserver_audit_requests_rejected_total",
    "Counter of apiserver requests rejected due to an error in audit logging backend.",
    MetricKind::kCounter};
constexpr std::string_view kPlugins[] = {"buffered", "log", "truncate", "webhook"};

}  // namespace audit_metrics

void AuditMetrics::write(MetricsText& text) const {
  using namespace audit_metrics;  // NOLINT: of this file only
  text.begin(kEvents);
  text.add({}, events.value());
  // As upstream's, a series begins with its first value.
  text.begin(kErrors);
  for (size_t i = 0; i < std::size(kPlugins); ++i) {
    if (errors[i].value() != 0) text.add({&kPlugins[i], 1}, errors[i].value());
  }
  text.begin(kRequests);
  for (const Level level : kLevels) {
    const Counter& counter = requests[static_cast<size_t>(level)];
    const std::string_view name = name_of(level);
    if (counter.value() != 0) text.add({&name, 1}, counter.value());
  }
  text.begin(kRejected);
  text.add({}, rejected.value());
}

}  // namespace proa::apiserver::audit
