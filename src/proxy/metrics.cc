#include "proxy/metrics.h"

#include <fmt/format.h>

namespace proa::proxy {
namespace metrics {

// Help texts and buckets are upstream's, since dashboards show and use them.
template <size_t Count>
constexpr std::array<double, Count> doubling(double first) {
  std::array<double, Count> bounds{};
  for (double& bound : bounds) {
    bound = first;
    first *= 2;
  }
  return bounds;
}
constexpr std::array kSyncBounds = doubling<15>(0.001);

// 0.25, 0.5; each second to 59; each 5 seconds to 115; each 30 seconds to 300.
constexpr std::array<double, 80> programming_bounds() {
  std::array<double, 80> bounds{};
  size_t next = 0;
  const auto add = [&bounds, &next](double first, double step, int count) {
    for (int i = 0; i < count; ++i) bounds[next++] = first + step * i;
  };
  add(0.25, 0.25, 2);
  add(1, 1, 59);
  add(60, 5, 12);
  add(120, 30, 7);
  return bounds;
}
constexpr std::array kProgrammingBounds = programming_bounds();

constexpr MetricFamily histogram(std::string_view name, std::string_view help,
                                 std::span<const double> bounds = kSyncBounds) {
  return {.name = name,
          .help = help,
          .kind = MetricKind::kHistogram,
          .labels = {"ip_family"},
          .bounds = bounds};
}
constexpr MetricFamily gauge(std::string_view name, std::string_view help,
                             std::array<std::string_view, 9> labels = {"ip_family"}) {
  return {.name = name, .help = help, .kind = MetricKind::kGauge, .labels = labels};
}
constexpr MetricFamily counter(std::string_view name, std::string_view help,
                               std::array<std::string_view, 9> labels = {"ip_family"}) {
  return {.name = name, .help = help, .kind = MetricKind::kCounter, .labels = labels};
}

constexpr MetricFamily kSync =
    histogram("kubeproxy_sync_proxy_rules_duration_seconds", "SyncProxyRules latency in seconds");
constexpr MetricFamily kWholeSync = histogram("kubeproxy_sync_full_proxy_rules_duration_seconds",
                                              "SyncProxyRules latency in seconds for full resyncs");
constexpr MetricFamily kPartialSync =
    histogram("kubeproxy_sync_partial_proxy_rules_duration_seconds",
              "SyncProxyRules latency in seconds for partial resyncs");
constexpr MetricFamily kLastSync = gauge("kubeproxy_sync_proxy_rules_last_timestamp_seconds",
                                         "The last time proxy rules were successfully synced");
constexpr MetricFamily kLastQueued =
    gauge("kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",
          "The last time a sync of proxy rules was queued");
constexpr MetricFamily kProgramming =
    histogram("kubeproxy_network_programming_duration_seconds",
              "In Cluster Network Programming Latency in seconds", kProgrammingBounds);
constexpr MetricFamily kNoLocal =
    gauge("kubeproxy_sync_proxy_rules_no_local_endpoints_total",
          "Number of services with a Local traffic policy and no endpoints",
          {"traffic_policy", "ip_family"});
constexpr MetricFamily kServiceChanges = counter("kubeproxy_sync_proxy_rules_service_changes_total",
                                                 "Cumulative proxy rules Service changes", {});
constexpr MetricFamily kServiceChangesPending =
    gauge("kubeproxy_sync_proxy_rules_service_changes_pending",
          "Pending proxy rules Service changes", {});
constexpr MetricFamily kEndpointChanges =
    counter("kubeproxy_sync_proxy_rules_endpoint_changes_total",
            "Cumulative proxy rules Endpoint changes", {});
constexpr MetricFamily kEndpointChangesPending =
    gauge("kubeproxy_sync_proxy_rules_endpoint_changes_pending",
          "Pending proxy rules Endpoint changes", {});
constexpr MetricFamily kHealthz =
    counter("kubeproxy_proxy_healthz_total", "Cumulative proxy healthz HTTP status", {"code"});
constexpr MetricFamily kLivez =
    counter("kubeproxy_proxy_livez_total", "Cumulative proxy livez HTTP status", {"code"});
constexpr MetricFamily kNftablesFailures =
    counter("kubeproxy_sync_proxy_rules_nftables_sync_failures_total",
            "Cumulative proxy nftables sync failures");
constexpr MetricFamily kIptablesFailures =
    counter("kubeproxy_sync_proxy_rules_iptables_restore_failures_total",
            "Cumulative proxy iptables restore failures");
constexpr MetricFamily kIptablesPartialFailures =
    counter("kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total",
            "Cumulative proxy iptables partial restore failures");
constexpr MetricFamily kNftablesCleanupFailures =
    counter("kubeproxy_sync_proxy_rules_nftables_cleanup_failures_total",
            "Cumulative proxy nftables cleanup failures");
constexpr MetricFamily kIptablesRules =
    gauge("kubeproxy_sync_proxy_rules_iptables_total",
          "Total number of iptables rules owned by kube-proxy", {"table", "ip_family"});
constexpr MetricFamily kIptablesLastRules =
    gauge("kubeproxy_sync_proxy_rules_iptables_last",
          "Number of iptables rules written by kube-proxy in last sync", {"table", "ip_family"});
constexpr MetricFamily kFlows = histogram("kubeproxy_conntrack_reconciler_sync_duration_seconds",
                                          "ReconcileConntrackFlowsLatency latency in seconds");
constexpr MetricFamily kFlowsRemoved =
    counter("kubeproxy_conntrack_reconciler_deleted_entries_total",
            "Cumulative conntrack flows deleted by conntrack reconciler");

}  // namespace metrics

std::string_view name_of(Mode mode) { return mode == Mode::kNftables ? "nftables" : "iptables"; }

ProxyMetrics::PerFamily ProxyMetrics::make(Metrics& all, Mode mode, Family family) {
  const std::string_view name = name_of(family);
  const bool nftables = mode == Mode::kNftables;
  return {
      .sync = all.histogram(metrics::kSync, {name}),
      .whole_sync = all.histogram(metrics::kWholeSync, {name}),
      .partial_sync = all.histogram(metrics::kPartialSync, {name}),
      .last_sync = all.gauge(metrics::kLastSync, {name}),
      .last_queued = all.gauge(metrics::kLastQueued, {name}),
      .programming = all.histogram(metrics::kProgramming, {name}),
      .no_local_internal = all.gauge(metrics::kNoLocal, {"internal", name}),
      .no_local_external = all.gauge(metrics::kNoLocal, {"external", name}),
      .failures =
          all.counter(nftables ? metrics::kNftablesFailures : metrics::kIptablesFailures, {name}),
      .partial_failures = all.counter(
          nftables ? metrics::kNftablesCleanupFailures : metrics::kIptablesPartialFailures, {name}),
      .flows = all.histogram(metrics::kFlows, {name}),
      .flows_removed = all.counter(metrics::kFlowsRemoved, {name}),
  };
}

ProxyMetrics::ProxyMetrics(Mode mode)
    : service_changes(all_.counter(metrics::kServiceChanges)),
      service_changes_pending(all_.gauge(metrics::kServiceChangesPending)),
      endpoint_changes(all_.counter(metrics::kEndpointChanges)),
      endpoint_changes_pending(all_.gauge(metrics::kEndpointChangesPending)),
      families_{make(all_, mode, Family::kV4), make(all_, mode, Family::kV6)} {
  all_.collect([](MetricsText& text) { add_process_metrics(text); });
}

void ProxyMetrics::count_rules(Family family, std::string_view table, int64_t total, int64_t last) {
  all_.gauge(metrics::kIptablesRules, {table, name_of(family)}).set(total);
  all_.gauge(metrics::kIptablesLastRules, {table, name_of(family)}).set(last);
}

void ProxyMetrics::answered_healthz(int code) {
  all_.counter(metrics::kHealthz, {fmt::format("{}", code)}).add();
}

void ProxyMetrics::answered_livez(int code) {
  all_.counter(metrics::kLivez, {fmt::format("{}", code)}).add();
}

}  // namespace proa::proxy
