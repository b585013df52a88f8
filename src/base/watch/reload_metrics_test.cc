#include "base/watch/reload_metrics.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

constexpr ReloadFamilies kFamilies{
    .reloads = {"reloads_total", "How often.", MetricKind::kCounter, {"status", "server"}},
    .reloaded = {"reload_seconds", "When.", MetricKind::kGauge, {"status", "server"}},
    .in_force = {"config_info", "Which.", MetricKind::kGauge, {"server", "hash"}}};

std::string text_of(const ReloadMetrics& metrics) {
  MetricsText text;
  metrics.write(text);
  return text.take();
}

TEST(ReloadMetrics, CountByOutcome) {
  ReloadMetrics metrics(kFamilies, "s");
  EXPECT_EQ(text_of(metrics).find("config_info"), std::string::npos);
  metrics.configured("h1");
  metrics.reloaded(false, Time(std::chrono::milliseconds(5900)));
  metrics.reloaded(true, Time(std::chrono::seconds(7)));
  metrics.reloaded(true, Time(std::chrono::seconds(8)));
  metrics.configured("h2");
  EXPECT_EQ(text_of(metrics),
            "# HELP reloads_total How often.\n# TYPE reloads_total counter\n"
            "reloads_total{status=\"failure\",server=\"s\"} 1\n"
            "reloads_total{status=\"success\",server=\"s\"} 2\n"
            "# HELP reload_seconds When.\n# TYPE reload_seconds gauge\n"
            "reload_seconds{status=\"failure\",server=\"s\"} 5\n"
            "reload_seconds{status=\"success\",server=\"s\"} 8\n"
            "# HELP config_info Which.\n# TYPE config_info gauge\n"
            "config_info{server=\"s\",hash=\"h2\"} 1\n");
}

}  // namespace
}  // namespace proa
