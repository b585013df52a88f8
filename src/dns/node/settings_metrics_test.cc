#include "dns/node/settings_metrics.h"

#include <gtest/gtest.h>

namespace proa::dns {
namespace {

bool has(const Metrics& metrics, const std::string& line) {
  return ("\n" + metrics.text()).find("\n" + line + "\n") != std::string::npos;
}

std::string enabled(std::string_view plugin) {
  return R"(coredns_plugin_enabled{server="dns://:53",zone=".",view="",name=")" +
         std::string(plugin) + "\"} 1";
}

TEST(SettingsMetrics, SayWhatIsConfigured) {
  Metrics metrics;
  SettingsMetrics about(metrics);
  Settings settings;
  about.applied(settings, Time(std::chrono::seconds(1000)));
  EXPECT_TRUE(has(metrics, enabled("kubernetes"))) << metrics.text();
  EXPECT_TRUE(has(metrics, enabled("cache")));
  EXPECT_FALSE(has(metrics, enabled("hosts")));
  EXPECT_TRUE(has(metrics, "coredns_hosts_reload_timestamp_seconds 0")) << "there are none";
  EXPECT_TRUE(has(metrics, "coredns_panics_total 0"));

  settings.cache.enabled = false;
  settings.hosts.entries = {{.address = {}, .names = {"a", "b"}}};
  about.applied(settings, Time(std::chrono::seconds(2000)));
  EXPECT_FALSE(has(metrics, enabled("cache")));
  EXPECT_TRUE(has(metrics, enabled("hosts")));
  EXPECT_TRUE(has(metrics, R"(coredns_hosts_entries{hostsfile=""} 2)"));
  about.applied(settings, Time(std::chrono::seconds(3000)));
  EXPECT_TRUE(has(metrics, "coredns_hosts_reload_timestamp_seconds 2000")) << "the same hosts";
}

TEST(SettingsMetrics, CountConfigurationsThatAreNotUsed) {
  Metrics metrics;
  SettingsMetrics about(metrics);
  EXPECT_TRUE(has(metrics, "coredns_reload_failed_total 0"));
  about.failed();
  EXPECT_TRUE(has(metrics, "coredns_reload_failed_total 1"));
}

}  // namespace
}  // namespace proa::dns
