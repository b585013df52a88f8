#include "base/metrics/metrics.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>

namespace proa {
namespace {

constexpr double kBounds[] = {0.005, 1, 2.5, 1e6};
constexpr double kFewBounds[] = {1, 1e6};
constexpr MetricFamily kRequests{
    "requests_total", "How many came.", MetricKind::kCounter, {"verb", "code"}};
constexpr MetricFamily kOpen{"open", "How many are open.\nNow.", MetricKind::kGauge};
constexpr MetricFamily kSeconds{
    "seconds", "How long it took.", MetricKind::kHistogram, {"verb"}, kBounds};
constexpr MetricFamily kCoarse{"coarse", "The same.", MetricKind::kHistogram, {}, kFewBounds};

TEST(Metrics, PrintsWhatPrometheusReads) {
  Metrics metrics;
  metrics.counter(kRequests, {"GET", "200"}).add(3);
  metrics.counter(kRequests, {"a\"b\\c\n", "404"}).add();
  metrics.counter(kRequests, {"GET", "200"}).add();
  metrics.gauge(kOpen).add(5);
  metrics.gauge(kOpen).add(-7);
  Histogram& histogram = metrics.histogram(kSeconds, {"GET"});
  for (const double value : {0.001, 0.005, 2.0, 5e6}) histogram.observe(value);
  metrics.collect([&](MetricsText& text) {
    text.begin(kCoarse);
    text.add({}, histogram);
  });
  EXPECT_EQ(metrics.text(), R"(# HELP requests_total How many came.
# TYPE requests_total counter
requests_total{verb="GET",code="200"} 4
requests_total{verb="a\"b\\c\n",code="404"} 1
# HELP open How many are open.\nNow.
# TYPE open gauge
open -2
# HELP seconds How long it took.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.005"} 2
seconds_bucket{verb="GET",le="1"} 2
seconds_bucket{verb="GET",le="2.5"} 3
seconds_bucket{verb="GET",le="1e+06"} 3
seconds_bucket{verb="GET",le="+Inf"} 4
seconds_sum{verb="GET"} 5.000002006e+06
seconds_count{verb="GET"} 4
# HELP coarse The same.
# TYPE coarse histogram
coarse_bucket{le="1"} 2
coarse_bucket{le="1e+06"} 3
coarse_bucket{le="+Inf"} 4
coarse_sum 5.000002006e+06
coarse_count 4
)");
}

TEST(Metrics, WritesNumbersAsGoDoes) {
  struct Case {
    double number;
    const char* text;
  };
  for (const Case& c :
       {Case{0, "0"}, Case{1, "1"}, Case{-2.5, "-2.5"}, Case{0.005, "0.005"},
        Case{0.0001, "0.0001"}, Case{0.00001, "1e-05"}, Case{100000, "100000"},
        Case{999999, "999999"}, Case{1e6, "1e+06"}, Case{1e9, "1e+09"}, Case{1.5e300, "1.5e+300"},
        Case{std::numeric_limits<double>::infinity(), "+Inf"}}) {
    EXPECT_EQ(metric_number(c.number), c.text);
  }
}

TEST(Metrics, CountsFromManyThreads) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10000; ++i) {
          metrics.counter(kRequests, {"GET", "200"}).add();
          metrics.histogram(kSeconds, {"GET"}).observe(1);
        }
      });
    }
  }
  EXPECT_EQ(metrics.counter(kRequests, {"GET", "200"}).value(), 40000u);
  EXPECT_EQ(metrics.histogram(kSeconds, {"GET"}).cumulative().back(), 40000u);
  EXPECT_EQ(metrics.histogram(kSeconds, {"GET"}).sum(), 40000);
}

TEST(ProcessMetrics, SayHowThisProcessIs) {
  MetricsText text;
  add_process_metrics(text);
  const std::string all = text.take();
  const auto value = [&](const std::string& name) {
    const size_t at = all.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(all.substr(at + name.size() + 2));
  };
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value("process_virtual_memory_bytes"), value("process_resident_memory_bytes"));
  EXPECT_GE(value("process_cpu_seconds_total"), 0);
  EXPECT_GT(value("process_start_time_seconds"), 1.5e9);
  EXPECT_GE(value("process_open_fds"), 3);
  EXPECT_GE(value("process_max_fds"), value("process_open_fds"));
  EXPECT_GE(value("go_goroutines"), 1);
}

}  // namespace
}  // namespace proa
