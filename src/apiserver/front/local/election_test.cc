#include "client/leader/election.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "api/object/view.h"
#include "apiserver/front/local/faulty_client.h"
#include "testkit/apiserver/test_clients.h"

namespace proa::apiserver {
namespace {

using client::Election;
using std::chrono::seconds;

client::Place lease() {
  return {.resource = find_resource("coordination.k8s.io", "leases"),
          .name_space = "kube-system",
          .name = "test"};
}

class ElectionTest : public testing::Test {
 protected:
  struct Candidate {
    Candidate(ElectionTest& test, const std::string& name)
        : faulty(test.kit_.client(), test.random_),
          election(faulty, test.kit_.clock(), test.random_, {.lease = lease(), .candidate = {name}},
                   {.started_leading = [&test, name] { test.told_ += name + " leads\n"; },
                    .stopped_leading = [&test, name] { test.told_ += name + " stops\n"; },
                    .new_leader = [this](const std::string& leader) { follows = leader; }}) {}
    FaultyClient faulty;
    Election election;
    std::string follows;
  };

  std::string told() { return std::exchange(told_, ""); }
  // holder, transitions, seconds
  std::string stored() {
    const json::Document document = kit_.client().get(lease(), {}).value()->document().value();
    const api::View spec = api::View(document.root())["spec"];
    return std::string(spec["holderIdentity"].text("-")) + " " +
           std::to_string(spec["leaseTransitions"].integer()) + " " +
           std::to_string(spec["leaseDurationSeconds"].integer());
  }
  std::string time_of(std::string_view field) {
    const json::Document document = kit_.client().get(lease(), {}).value()->document().value();
    return std::string(api::View(document.root())["spec"][field].text());
  }
  void advance(int by) { kit_.clock().advance(seconds(by)); }

  LocalTestClient kit_;
  SeededRandom random_{1};
  std::string told_;
  Candidate a_{*this, "a"};
  Candidate b_{*this, "b"};
};

TEST_F(ElectionTest, OneLeadsAndTheOtherFollows) {
  EXPECT_EQ(a_.election.step(), kit_.clock().steady() + seconds(2));
  const Steady next = b_.election.step();
  EXPECT_GE(next, kit_.clock().steady() + seconds(2));
  EXPECT_LE(next, kit_.clock().steady() + std::chrono::milliseconds(4400));
  EXPECT_EQ(told(), "a leads\n");
  EXPECT_EQ(stored(), "a 0 15");
  EXPECT_EQ(a_.follows, "a");
  EXPECT_EQ(b_.follows, "a");
  EXPECT_TRUE(a_.election.is_leader());
  EXPECT_FALSE(b_.election.is_leader());
  EXPECT_EQ(time_of("acquireTime"), "2026-01-02T15:04:05.000000Z");
  for (int i = 0; i < 30; ++i) {
    advance(2);
    a_.election.step();
    b_.election.step();
  }
  EXPECT_EQ(told(), "");
  EXPECT_EQ(time_of("acquireTime"), "2026-01-02T15:04:05.000000Z");
  EXPECT_EQ(time_of("renewTime"), "2026-01-02T15:05:05.000000Z");
}

TEST_F(ElectionTest, RenewsAtItsPaceAndTriesAgainAtAnother) {
  const client::ElectionOptions options{{client::kUnhurried}, lease(), {"c"}};
  FaultyClient faulty(kit_.client(), random_);
  Election election(faulty, kit_.clock(), random_, options, {});
  EXPECT_EQ(election.step(), kit_.clock().steady() + seconds(10));
  EXPECT_EQ(stored(), "c 0 30");
  advance(10);
  faulty.fail_one_of(1);
  EXPECT_EQ(election.step(), kit_.clock().steady() + seconds(2));
  EXPECT_TRUE(election.is_leader());
}

TEST_F(ElectionTest, FollowsALeaderThatFellSilent) {
  a_.election.step();
  b_.election.step();
  advance(14);
  b_.election.step();
  EXPECT_EQ(told(), "a leads\n");
  EXPECT_FALSE(a_.election.is_leader()) << "its renew deadline has passed";
  advance(1);
  b_.election.step();
  EXPECT_EQ(told(), "b leads\n");
  EXPECT_EQ(stored(), "b 1 15");
  a_.election.step();
  EXPECT_EQ(told(), "a stops\n");
  EXPECT_EQ(a_.follows, "b");
}

TEST_F(ElectionTest, TakesTheLeaseOfAHolderThatIsGoneAtOnce) {
  a_.election.step();
  const client::ElectionOptions options{
      {client::kUnhurried}, lease(), {"c", [](std::string_view holder) { return holder == "a"; }}};
  Election election(kit_.client(), kit_.clock(), random_, options, {});
  election.step();
  EXPECT_TRUE(election.is_leader());
  EXPECT_EQ(stored(), "c 1 30");
  // Not that of others.
  b_.election.step();
  advance(31);
  b_.election.step();
  ASSERT_EQ(stored(), "b 2 15");
  election.step();
  EXPECT_FALSE(election.is_leader());
  EXPECT_EQ(election.held_until(), kit_.clock().steady() + seconds(15));
  EXPECT_EQ(election.failure(), "the lease is held by b");
}

TEST_F(ElectionTest, CountsFromWhenItSawTheLeaseNotFromWhatIsWritten) {
  a_.election.step();
  // A candidate whose calendar is years ahead still waits for the lease duration.
  kit_.clock().set_calendar(kit_.clock().now() + std::chrono::hours(24 * 365));
  b_.election.step();
  advance(14);
  b_.election.step();
  EXPECT_EQ(told(), "a leads\n");
}

TEST_F(ElectionTest, GivesUpWhenItCannotRenew) {
  a_.election.step();
  EXPECT_EQ(told(), "a leads\n");
  a_.faulty.fail_one_of(1);
  for (int i = 0; i < 4; ++i) {
    advance(2);
    EXPECT_EQ(a_.election.step(), kit_.clock().steady() + seconds(2));
  }
  EXPECT_EQ(told(), "");
  EXPECT_TRUE(a_.election.is_leader());
  advance(2);
  a_.election.step();
  EXPECT_EQ(told(), "a stops\n");
  EXPECT_FALSE(a_.election.is_leader());
  a_.faulty.fail_one_of(0);
  a_.election.step();
  EXPECT_EQ(told(), "a leads\n");
  EXPECT_EQ(stored(), "a 0 15");
}

TEST_F(ElectionTest, LetsOthersFollowAtOnceWhenItResigns) {
  a_.election.step();
  b_.election.step();
  a_.election.resign();
  EXPECT_EQ(told(), "a leads\na stops\n");
  EXPECT_EQ(stored(), "- 0 1");
  b_.election.step();
  EXPECT_EQ(told(), "b leads\n");
  EXPECT_EQ(stored(), "b 1 15");
}

TEST_F(ElectionTest, RunsUntilItIsStopped) {
  std::promise<void> leads;
  Election election(kit_.client(), kit_.clock(), random_, {.lease = lease(), .candidate = {"c"}},
                    {.started_leading = [&] { leads.set_value(); },
                     .stopped_leading = [&] { told_ += "c stops\n"; },
                     .new_leader = nullptr});
  std::jthread runner([&](const std::stop_token& stop) { election.run(stop); });
  leads.get_future().wait();
  EXPECT_TRUE(election.is_leader());
  EXPECT_EQ(stored(), "c 0 15");
  runner.request_stop();
  runner.join();
  EXPECT_EQ(told(), "c stops\n");
  EXPECT_EQ(stored(), "- 0 1");
}

}  // namespace
}  // namespace proa::apiserver
