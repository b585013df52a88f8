#include "controllers/workload/deployment/status.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testkit/fake_clock.h"

namespace proa::controllers::deployments {
namespace {

using std::chrono::seconds;

constexpr Time kNow = testkit::FakeClock::kStart;

class DeploymentStatusTest : public testing::Test {
 protected:
  DeploymentStatusTest() {
    document_.root() = json::Value::object();
    facts_.replicas = 3;
    facts_.progress_deadline = seconds(600);
  }
  api::Edit status() { return api::Edit(document_); }
  // "status reason message @update since", in seconds after the start.
  std::string condition(std::string_view type) {
    const api::View found = find_condition(document_.root(), type);
    if (!found) return "";
    const auto at = [&](const char* field) {
      return std::chrono::duration_cast<seconds>(parse_time(found[field].text()).value() - kNow)
          .count();
    };
    return fmt::format("{} {} {} @{} {}", found["status"].text(), found["reason"].text(),
                       found["message"].text(), at("lastUpdateTime"), at("lastTransitionTime"));
  }
  void progress(const Counts& before, const Counts& after, Time now) {
    put_progress(
        status(), facts_,
        {.subject = "ReplicaSet \"web-1\"", .before = before, .after = after, .generation = 1},
        now);
  }

  json::Document document_;
  DeploymentFacts facts_;
};

TEST_F(DeploymentStatusTest, ReportsAvailability) {
  facts_.max_unavailable = 1;
  put_available(status(), facts_, {.available = 1}, kNow);
  EXPECT_EQ(condition("Available"),
            "False MinimumReplicasUnavailable Deployment does not have minimum availability. @0 "
            "0");
  put_available(status(), facts_, {.available = 1}, kNow + seconds(5));
  EXPECT_TRUE(condition("Available").ends_with("@0 0"));
  put_available(status(), facts_, {.available = 2}, kNow + seconds(7));
  EXPECT_EQ(condition("Available"),
            "True MinimumReplicasAvailable Deployment has minimum availability. @7 7");
}

TEST_F(DeploymentStatusTest, FollowsARolloutToItsEnd) {
  const Counts none{.observed_generation = 1};
  const Counts some{.observed_generation = 1, .replicas = 3, .updated = 3, .ready = 1};
  const Counts all{
      .observed_generation = 1, .replicas = 3, .updated = 3, .ready = 3, .available = 3};
  progress(none, some, kNow);
  EXPECT_EQ(condition("Progressing"),
            "True ReplicaSetUpdated ReplicaSet \"web-1\" is progressing. @0 0");
  progress(some, some, kNow + seconds(3));
  EXPECT_TRUE(condition("Progressing").ends_with("@0 0"));
  EXPECT_EQ(next_progress_check(document_.root(), facts_, kNow + seconds(3)), seconds(598));
  progress(none, some, kNow + seconds(5));  // each step restarts the deadline
  EXPECT_TRUE(condition("Progressing").ends_with("@5 0"));
  progress(some, all, kNow + seconds(9));
  EXPECT_EQ(condition("Progressing"),
            "True NewReplicaSetAvailable ReplicaSet \"web-1\" has successfully progressed. @9 0");
  EXPECT_EQ(next_progress_check(document_.root(), facts_, kNow), Duration{0});
  // A pod that dies later is no rollout that goes wrong.
  progress(all, some, kNow + seconds(9000));
  EXPECT_TRUE(condition("Progressing").ends_with("@9 0"));
}

TEST_F(DeploymentStatusTest, ReportsAnExceededDeadline) {
  const Counts some{.observed_generation = 1, .replicas = 4, .updated = 1};
  progress({}, some, kNow);
  progress(some, some, kNow + seconds(600));
  EXPECT_TRUE(condition("Progressing").starts_with("True"));
  progress(some, some, kNow + seconds(601));
  EXPECT_EQ(condition("Progressing"),
            "False ProgressDeadlineExceeded ReplicaSet \"web-1\" has timed out progressing. "
            "@601 601");
  EXPECT_EQ(next_progress_check(document_.root(), facts_, kNow + seconds(601)), Duration{0});
  facts_.paused = true;
  put_pause(status(), facts_, kNow + seconds(700));
  EXPECT_TRUE(condition("Progressing").starts_with("False ProgressDeadlineExceeded"));
  // Until it moves after all.
  progress(some, {.observed_generation = 1, .replicas = 4, .updated = 2}, kNow + seconds(800));
  EXPECT_TRUE(condition("Progressing").starts_with("True ReplicaSetUpdated"));
}

TEST_F(DeploymentStatusTest, HasNoProgressConditionWithoutADeadline) {
  progress({}, {.replicas = 1, .updated = 1}, kNow);
  EXPECT_NE(condition("Progressing"), "");
  facts_.progress_deadline.reset();
  progress({}, {.replicas = 1, .updated = 1}, kNow);
  EXPECT_EQ(condition("Progressing"), "");
  facts_.paused = true;
  put_pause(status(), facts_, kNow);
  EXPECT_EQ(condition("Progressing"), "");
}

TEST_F(DeploymentStatusTest, SuspendsTheDeadlineWhilePaused) {
  put_pause(status(), facts_, kNow);
  EXPECT_EQ(condition("Progressing"), "");
  facts_.paused = true;
  put_pause(status(), facts_, kNow);
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentPaused Deployment is paused @0 0");
  put_pause(status(), facts_, kNow + seconds(4));
  facts_.paused = false;
  put_pause(status(), facts_, kNow + seconds(9));
  EXPECT_EQ(condition("Progressing"), "Unknown DeploymentResumed Deployment is resumed @9 0");
}

TEST_F(DeploymentStatusTest, ReportsReplicaFailures) {
  Sets sets;
  sets.all.resize(2);
  sets.newest = 0;
  put_replica_failure(status(), sets);
  EXPECT_EQ(condition("ReplicaFailure"), "");
  sets.all[1].facts.failure = SetFacts::Failure{
      .status = "True", .reason = "FailedDelete", .message = "old", .since = format_time(kNow)};
  put_replica_failure(status(), sets);
  EXPECT_EQ(condition("ReplicaFailure"), "True FailedDelete old @0 0");
  sets.all[0].facts.failure = SetFacts::Failure{.status = "True",
                                                .reason = "FailedCreate",
                                                .message = "new",
                                                .since = format_time(kNow + seconds(2))};
  put_replica_failure(status(), sets);
  EXPECT_EQ(condition("ReplicaFailure"), "True FailedCreate new @2 0");
  sets.all[0].facts.failure.reset();
  sets.all[1].facts.failure.reset();
  put_replica_failure(status(), sets);
  EXPECT_EQ(condition("ReplicaFailure"), "");
}

TEST(CountPods, AddsUpWhatSetsSay) {
  Sets sets;
  sets.all.resize(2);
  sets.newest = 1;
  sets.all[0].facts = {.replicas = 2, .current = 3, .ready = 3, .available = 2, .terminating = 1};
  sets.all[1].facts = {.replicas = 4, .current = 2, .ready = 1, .available = 0, .terminating = 0};
  const Counts counts = count_pods(sets, 7);
  EXPECT_EQ(counts, (Counts{.observed_generation = 7,
                            .replicas = 5,
                            .updated = 2,
                            .ready = 4,
                            .available = 2,
                            .unavailable = 4,
                            .terminating = 1}));
  sets.all[0].facts.terminating.reset();
  EXPECT_FALSE(count_pods(sets, 7).terminating);
  sets.all[0].facts.available = 9;
  EXPECT_EQ(count_pods(sets, 7).unavailable, 0);
  json::Document document;
  document.root() = json::Value::object();
  put_counts(api::Edit(document), counts);
  EXPECT_EQ(read_counts(document.root()), counts);
}

}  // namespace
}  // namespace proa::controllers::deployments
