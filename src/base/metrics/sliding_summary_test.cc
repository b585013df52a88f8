#include "base/metrics/sliding_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace proa {
namespace {

using namespace std::chrono_literals;

constexpr double kRanks[] = {0.5, 0.9, 0.99};

TEST(SlidingSummary, EstimatesQuantiles) {
  SlidingSummary summary(5h);
  for (int i = 1; i <= 1000; ++i) summary.observe(i * 0.001, 1h);
  const SummaryValue value = summary.value(kRanks, 1h);
  EXPECT_EQ(value.count, 1000u);
  EXPECT_NEAR(value.sum, 500.5, 1e-9);
  ASSERT_EQ(value.quantiles.size(), 3u);
  EXPECT_NEAR(value.quantiles[0].value, 0.5, 0.5 * 0.026);
  EXPECT_NEAR(value.quantiles[1].value, 0.9, 0.9 * 0.026);
  EXPECT_NEAR(value.quantiles[2].value, 0.99, 0.99 * 0.026);
}

TEST(SlidingSummary, KnowsTheSlowestOfFew) {
  SlidingSummary summary(5h);
  summary.observe(0.001, 1h);
  summary.observe(2, 1h);
  EXPECT_NEAR(summary.value(kRanks, 1h).quantiles[0].value, 0.001, 0.001 * 0.026);
  EXPECT_NEAR(summary.value(kRanks, 1h).quantiles[2].value, 2, 2 * 0.026);
}

TEST(SlidingSummary, ForgetsWhatIsOld) {
  SlidingSummary summary(5h);
  EXPECT_TRUE(std::isnan(summary.value(kRanks, 0s).quantiles[0].value));
  summary.observe(10, 30min);
  summary.observe(0.1, 3h);
  EXPECT_GT(summary.value(kRanks, 4h + 59min).quantiles[2].value, 9);
  EXPECT_LT(summary.value(kRanks, 5h).quantiles[2].value, 1);
  EXPECT_TRUE(std::isnan(summary.value(kRanks, 8h).quantiles[0].value));
  EXPECT_EQ(summary.value(kRanks, 8h).count, 2u) << "these are of all time";
  // The slot of an earlier time is used again.
  summary.observe(0.2, 5h + 30min);
  EXPECT_LT(summary.value(kRanks, 5h + 30min).quantiles[2].value, 1);
}

TEST(SlidingSummary, TakesAnyNumber) {
  SlidingSummary summary(5h);
  for (const double seconds : {0.0, -1.0, 1e9, 1e-12}) summary.observe(seconds, 1h);
  EXPECT_GT(summary.value(kRanks, 1h).quantiles[2].value, 150);
}

TEST(SlidingSummary, IsWrittenAsASummary) {
  constexpr MetricFamily kFamily{"took_seconds", "How long.", MetricKind::kSummary, {"a"}};
  constexpr std::string_view kLabels[] = {"x"};
  MetricsText text;
  text.begin(kFamily);
  text.add(kLabels, SummaryValue{.quantiles = {{0.5, 1.5}, {0.99, NAN}}, .sum = 3, .count = 2});
  EXPECT_EQ(text.take(),
            "# HELP took_seconds How long.\n# TYPE took_seconds summary\n"
            "took_seconds{a=\"x\",quantile=\"0.5\"} 1.5\n"
            "took_seconds{a=\"x\",quantile=\"0.99\"} NaN\n"
            "took_seconds_sum{a=\"x\"} 3\ntook_seconds_count{a=\"x\"} 2\n");
}

}  // namespace
}  // namespace proa
