#include "dns/forward/upstream/upstream_set.h"

#include <gtest/gtest.h>

#include <set>

namespace proa::dns {
namespace {

using Order = std::vector<uint8_t>;

ForwardZone zone_with(UpstreamPolicy policy) {
  ForwardZone zone{.zone = "corp.example", .except = {"public.corp.example"}, .policy = policy};
  for (const char* one : {"10.0.0.1", "10.0.0.2", "10.0.0.3"}) {
    zone.upstreams.push_back({.address = *parse_ip(one)});
  }
  return zone;
}

TEST(UpstreamSet, FollowsThePolicy) {
  SeededRandom random(1);
  UpstreamSet sequential(zone_with(UpstreamPolicy::kSequential));
  EXPECT_EQ(sequential.order(random), (Order{0, 1, 2}));
  EXPECT_EQ(sequential.order(random), (Order{0, 1, 2}));
  UpstreamSet turns(zone_with(UpstreamPolicy::kRoundRobin));
  EXPECT_EQ(turns.order(random), (Order{0, 1, 2}));
  EXPECT_EQ(turns.order(random), (Order{1, 2, 0}));
  EXPECT_EQ(turns.order(random), (Order{2, 0, 1}));
  UpstreamSet shuffled(zone_with(UpstreamPolicy::kRandom));
  std::set<Order> seen;
  for (int i = 0; i < 100; ++i) seen.insert(shuffled.order(random));
  EXPECT_EQ(seen.size(), 6u);
}

TEST(UpstreamSet, AsksThoseThatAreUpFirst) {
  SeededRandom random(1);
  UpstreamSet set(zone_with(UpstreamPolicy::kSequential));
  const Steady now{std::chrono::seconds(10)};
  EXPECT_FALSE(set.failed(0, now));
  set.succeeded(0);
  EXPECT_FALSE(set.failed(0, now)) << "failures in a row count";
  EXPECT_TRUE(set.failed(0, now));
  EXPECT_FALSE(set.failed(0, now)) << "known already";
  EXPECT_EQ(set.at(0).probe_due, now + std::chrono::milliseconds(500));
  EXPECT_EQ(set.order(random), (Order{1, 2, 0}));
  set.at(1).looping = true;
  EXPECT_EQ(set.order(random), (Order{2, 0}));
  EXPECT_FALSE(set.all_down());
  set.failed(2, now);
  set.failed(2, now);
  EXPECT_TRUE(set.all_down());
  EXPECT_EQ(set.order(random), (Order{0, 2})) << "the probes may be wrong";
  set.succeeded(0);
  EXPECT_FALSE(set.all_down());
  EXPECT_EQ(set.at(0).probe_due, Steady::max());
}

TEST(UpstreamSet, NeverGivesUpWithoutALimitOfFailures) {
  ForwardZone zone = zone_with(UpstreamPolicy::kSequential);
  zone.max_fails = 0;
  UpstreamSet set(zone);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(set.failed(0, {}));
  EXPECT_FALSE(set.at(0).down);
}

TEST(UpstreamSet, KnowsItsNames) {
  const UpstreamSet set(zone_with(UpstreamPolicy::kRandom));
  EXPECT_TRUE(set.contains(*Name::parse("a.Corp.example")));
  EXPECT_FALSE(set.contains(*Name::parse("a.other")));
  EXPECT_TRUE(set.excepts(*Name::parse("a.public.corp.example")));
  EXPECT_FALSE(set.excepts(*Name::parse("a.corp.example")));
}

}  // namespace
}  // namespace proa::dns
