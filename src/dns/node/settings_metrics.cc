#include "dns/node/settings_metrics.h"

namespace proa::dns {
namespace settings_metrics {

constexpr MetricFamily kPanics{.name = "coredns_panics_total",
                               .help = "Always 0: what would be a panic ends the process."};
constexpr MetricFamily kReloadFailed{.name = "coredns_reload_failed_total",
                                     .help = "Configurations with errors, which were not used."};
constexpr MetricFamily kHosts{.name = "coredns_hosts_entries",
                              .help = "Addresses of names in the configured hosts.",
                              .kind = MetricKind::kGauge,
                              .labels = {"hostsfile"}};
constexpr MetricFamily kHostsTime{.name = "coredns_hosts_reload_timestamp_seconds",
                                  .help = "When the configured hosts last changed.",
                                  .kind = MetricKind::kGauge};
constexpr MetricFamily kPlugins{
    .name = "coredns_plugin_enabled",
    .help = "1 for each plugin of CoreDNS whose work the configuration asks for.",
    .kind = MetricKind::kGauge,
    .labels = {"server", "zone", "view", "name"}};

// In CoreDNS's order of plugins.
std::vector<std::string_view> plugins_of(const Settings& settings) {
  std::vector<std::string_view> names{"prometheus"};
  if (settings.log_queries) names.emplace_back("log");
  if (settings.rotate) names.emplace_back("loadbalance");
  if (!settings.rewrites.empty()) names.emplace_back("rewrite");
  if (settings.cache.enabled) names.emplace_back("cache");
  if (!settings.hosts.entries.empty()) names.emplace_back("hosts");
  names.emplace_back("kubernetes");
  if (settings.detect_loops) names.emplace_back("loop");
  if (!settings.forwards.empty()) names.emplace_back("forward");
  return names;
}

}  // namespace settings_metrics

SettingsMetrics::SettingsMetrics(Metrics& metrics)
    : failed_(metrics.counter(settings_metrics::kReloadFailed)),
      hosts_(metrics.gauge(settings_metrics::kHosts, {""})),
      hosts_time_(metrics.gauge(settings_metrics::kHostsTime)) {
  metrics.counter(settings_metrics::kPanics);
  metrics.collect([this](MetricsText& text) { write(text); });
}

void SettingsMetrics::applied(const Settings& settings, Time now) {
  MutexLock lock(mutex_);
  plugins_ = settings_metrics::plugins_of(settings);
  if (settings.hosts == last_hosts_) return;
  last_hosts_ = settings.hosts;
  size_t entries = 0;
  for (const HostEntry& entry : settings.hosts.entries) entries += entry.names.size();
  hosts_.set(static_cast<int64_t>(entries));
  hosts_time_.set(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
}

void SettingsMetrics::write(MetricsText& text) const {
  MutexLock lock(mutex_);
  text.begin(settings_metrics::kPlugins);
  for (const std::string_view name : plugins_) {
    text.add(std::initializer_list<std::string_view>{"dns://:53", ".", "", name}, uint64_t{1});
  }
}

}  // namespace proa::dns
