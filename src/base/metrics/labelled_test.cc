#include "base/metrics/labelled.h"

#include <gtest/gtest.h>

namespace proa {
namespace {

constexpr double kBounds[] = {1};
constexpr MetricFamily kCalls{"calls_total", "Calls.", MetricKind::kCounter, {"name", "verb"}};
constexpr MetricFamily kSeconds{
    "call_seconds", "How long.", MetricKind::kHistogram, {"name"}, kBounds};

template <typename Metric>
std::string text_of(const Labelled<Metric>& labelled) {
  MetricsText text;
  labelled.write(text);
  return text.take();
}

TEST(Labelled, KeepsOneMetricPerValues) {
  Labelled<Counter> calls(kCalls);
  calls.at({"a", "get"}).add();
  calls.at({"a", "put"}).add();
  Counter& known = calls.at({"a", "get"});
  known.add(2);
  EXPECT_EQ(&known, &calls.at({"a", "get"}));
  EXPECT_NE(text_of(calls).find("calls_total{name=\"a\",verb=\"get\"} 3\n"
                                "calls_total{name=\"a\",verb=\"put\"} 1\n"),
            std::string::npos)
      << text_of(calls);
}

TEST(Labelled, CountsTooManyTogether) {
  Labelled<Histogram> seconds(kSeconds, 2);
  for (const char* name : {"a", "b", "c", "d", "a"}) seconds.at({name}).observe(0.5);
  const std::string text = text_of(seconds);
  EXPECT_NE(text.find("call_seconds_count{name=\"a\"} 2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("call_seconds_count{name=\"b\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("call_seconds_count{name=\"other\"} 2\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace proa
