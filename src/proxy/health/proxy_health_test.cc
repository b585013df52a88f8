#include "proxy/health/proxy_health.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::proxy {
namespace {

TEST(ProxyHealth, AnswersAsUpstreamDoes) {
  testkit::FakeClock clock;
  ProxyHealth health(clock);
  health.set_eligible(true);
  health.updated(Family::kV4);
  health.updated(Family::kV6);
  clock.advance(std::chrono::seconds(2));
  const http::Response response = health.healthz();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body.view(),
            R"({"lastUpdated":"2026-01-02T15:04:07Z","currentTime":"2026-01-02T15:04:07Z",)"
            R"("nodeEligible":true,"healthy":true,"status":{)"
            R"("IPv4":{"lastUpdated":"2026-01-02T15:04:05Z","healthy":true},)"
            R"("IPv6":{"lastUpdated":"2026-01-02T15:04:05Z","healthy":true}}})");
  EXPECT_EQ(health.livez().body.view().find("nodeEligible"), std::string_view::npos);
}

TEST(ProxyHealth, IsBadWhenAChangeWaitsForLong) {
  testkit::FakeClock clock;
  ProxyHealth health(clock);
  health.set_eligible(true);
  health.updated(Family::kV4);
  health.updated(Family::kV6);
  health.queued();
  clock.advance(std::chrono::seconds(40));
  health.queued();  // the first one counts
  EXPECT_TRUE(health.healthy());
  clock.advance(std::chrono::seconds(20));
  EXPECT_FALSE(health.healthy());
  EXPECT_EQ(health.healthz().status, 503);
  EXPECT_EQ(health.livez().status, 503);
  health.updated(Family::kV4);
  EXPECT_FALSE(health.healthy());
  health.updated(Family::kV6);
  EXPECT_EQ(health.healthz().status, 200);
}

TEST(ProxyHealth, TellsLoadBalancersThatTheNodeGoes) {
  testkit::FakeClock clock;
  ProxyHealth health(clock);
  EXPECT_EQ(health.healthz().status, 503);
  EXPECT_EQ(health.livez().status, 200);
}

}  // namespace
}  // namespace proa::proxy
