#include "apiserver/streaming/webhooks/conversion_probe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/log.h"

namespace proa::apiserver {
namespace {

// NOLINTNEXTLINE: a sink is a plain function
std::string logged;

class ConversionProbeTest : public testing::Test {
 protected:
  ConversionProbeTest() {
    logged.clear();
    set_log_sink([](std::string_view line) { logged += line; });
  }
  ~ConversionProbeTest() override { set_log_sink(nullptr); }

  void end(ConversionStage reached) {
    const Status failure(Reason::kUnknown, "no harbour");
    probe_.end({.definition = "ships.example.com",
                .from = "example.com/v1",
                .to = "example.com/v2",
                .reached = reached,
                .took = std::chrono::milliseconds(3)},
               reached == ConversionStage::kDone ? nullptr : &failure);
  }
  std::string text() const {
    MetricsText text;
    probe_.write(text);
    return text.take();
  }
  bool has(const std::string& line) const { return text().find(line + "\n") != std::string::npos; }

  ConversionProbe probe_;
};

TEST_F(ConversionProbeTest, CountsByUpstreamsNames) {
  for (const ConversionStage stage :
       {ConversionStage::kDone, ConversionStage::kDone, ConversionStage::kPreparing,
        ConversionStage::kCalling, ConversionStage::kReading, ConversionStage::kCounting,
        ConversionStage::kChecking}) {
    end(stage);
  }
  const std::string requests = "apiserver_conversion_webhook_request_total{result=";
  EXPECT_TRUE(has(requests + R"("success",failure_type=""} 2)")) << text();
  for (const char* type :
       {"call", "malformed_response", "partial_response", "invalid_converted_object"}) {
    EXPECT_TRUE(
        has(requests + R"("failure",failure_type="conversion_webhook_)" + type + R"(_failure"} 1)"))
        << type << text();
  }
  EXPECT_TRUE(has(R"(apiserver_conversion_webhook_duration_seconds_bucket{result="success",)"
                  R"(failure_type="",le="0.005"} 2)"))
      << text();
  const std::string conversions = "apiserver_crd_conversion_webhook_duration_seconds_";
  const std::string labels =
      R"({crd_name="ships.example.com",from_version="v1",to_version="v2",succeeded=)";
  EXPECT_TRUE(has(conversions + "bucket" + labels + R"("true",le="0.004"} 2)")) << text();
  EXPECT_TRUE(has(conversions + "count" + labels + R"("false"} 5)")) << text();
}

TEST_F(ConversionProbeTest, LogsSomeFailures) {
  end(ConversionStage::kDone);
  EXPECT_EQ(logged, "");
  for (int i = 0; i < 100; ++i) end(ConversionStage::kCalling);
  EXPECT_NE(logged.find("converting custom objects by webhook failed"), std::string::npos);
  EXPECT_NE(logged.find("ships.example.com"), std::string::npos) << logged;
  EXPECT_NE(logged.find("no harbour"), std::string::npos) << logged;
  EXPECT_LT(std::ranges::count(logged, '\n'), 10);
}

}  // namespace
}  // namespace proa::apiserver
