#include "controllers/workload/cron/cron_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "api/object/view.h"
#include "json/print.h"
#include "testkit/controllers/test_world.h"

namespace proa::controllers {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// It is 2026-01-02T15:04:05Z, the 29456104th minute. Nobody runs the jobs.
class CronJobsTest : public testing::Test {
 protected:
  // `fields` of the spec, each with a comma behind it.
  void create_cron_job(const std::string& schedule, const std::string& fields = "") {
    world_.create(
        "batch", "cronjobs", "default",
        R"({"metadata":{"name":"tick"},"spec":{"schedule":")" + schedule + "\"," + fields +
            R"("jobTemplate":{"metadata":{"labels":{"app":"tick"},"annotations":{"a":"b"}},)"
            R"("spec":{"template":{"spec":{"restartPolicy":"Never",)"
            R"("containers":[{"name":"c","image":"i"}]}}}}}})");
    world_.settle();
  }
  void patch(const std::string& spec) {
    world_.patch("batch", "cronjobs", "default", "tick", "{\"spec\":" + spec + "}");
    world_.settle();
  }
  std::vector<std::string> job_names() {
    std::vector<std::string> names;
    for (const auto& job : world_.list("batch", "jobs", "default")) {
      names.emplace_back(job->metadata().name);
    }
    return names;
  }
  api::ObjectPtr cron_job() { return world_.get("batch", "cronjobs", "default", "tick"); }
  std::string status(std::string_view name) {
    const json::Document document = cron_job()->document().value();
    return std::string(api::View(document.root())["status"][name].text());
  }
  // Names of those that the status calls active.
  std::vector<std::string> active() {
    const json::Document document = cron_job()->document().value();
    std::vector<std::string> names;
    for (const api::View one : api::View(document.root())["status"]["active"].items()) {
      names.emplace_back(one["name"].text());
    }
    return names;
  }
  // As a job controller would.
  void finish(const std::string& name, bool success = true) {
    const std::string now = format_time(world_.clock().now());
    const auto condition = [&](const char* type) {
      return R"({"type":")" + std::string(type) + R"(","status":"True","lastTransitionTime":")" +
             now + "\"}";
    };
    world_.patch("batch", "jobs", "default", name,
                 R"({"status":{"startTime":")" + now + "\"," +
                     (success ? R"("completionTime":")" + now + R"(","succeeded":1,)" : "") +
                     R"("conditions":[)" +
                     condition(success ? "SuccessCriteriaMet" : "FailureTarget") + "," +
                     condition(success ? "Complete" : "Failed") + "]}}",
                 "status");
    world_.settle();
  }
  bool has_event(std::string_view wanted) {
    const auto events = world_.list("", "events", "default");
    return std::any_of(events.begin(), events.end(), [&](const api::ObjectPtr& event) {
      const json::Document document = event->document().value();
      const api::View root = document.root();
      return std::string(root["type"].text()) + " " + std::string(root["reason"].text()) + ": " +
                 std::string(root["message"].text()) ==
             wanted;
    });
  }
  void expect_at_rest() {
    const std::string before(cron_job()->json());
    const auto jobs = job_names();
    world_.restart();
    world_.settle();
    EXPECT_EQ(cron_job()->json(), before);
    EXPECT_EQ(job_names(), jobs);
  }

  using Names = std::vector<std::string>;
  testkit::TestWorld world_{
      std::vector<ControllerEntry>{{"cronjob", "cronjob-controller", make_cron_job_controller}}};
};

TEST_F(CronJobsTest, MakeJobsByTheClock) {
  create_cron_job("*/5 * * * *");
  EXPECT_TRUE(job_names().empty());
  expect_at_rest();
  world_.pass(seconds(56));
  EXPECT_EQ(job_names(), Names{"tick-29456105"});
  EXPECT_EQ(active(), Names{"tick-29456105"});
  EXPECT_EQ(status("lastScheduleTime"), "2026-01-02T15:05:00Z");
  EXPECT_TRUE(has_event("Normal SuccessfulCreate: Created job tick-29456105"));
  const json::Document document =
      world_.get("batch", "jobs", "default", "tick-29456105")->document().value();
  const api::View metadata = api::View(document.root())["metadata"];
  EXPECT_EQ(metadata["labels"]["app"].text(), "tick");
  EXPECT_EQ(metadata["annotations"]["a"].text(), "b");
  EXPECT_EQ(metadata["annotations"]["batch.kubernetes.io/cronjob-scheduled-timestamp"].text(),
            "2026-01-02T15:05:00Z");
  EXPECT_EQ(metadata["ownerReferences"].item(0)["uid"].text(), cron_job()->metadata().uid);
  expect_at_rest();
  world_.pass(minutes(10));
  EXPECT_EQ(job_names(), (Names{"tick-29456105", "tick-29456110", "tick-29456115"}));
}

TEST_F(CronJobsTest, RecordFinishedJobs) {
  create_cron_job("*/5 * * * *");
  world_.pass(minutes(2));
  finish("tick-29456105");
  EXPECT_TRUE(active().empty());
  EXPECT_EQ(status("lastSuccessfulTime"), "2026-01-02T15:06:05Z");
  EXPECT_TRUE(
      has_event("Normal SawCompletedJob: Saw completed job: tick-29456105, condition: Complete"));
  expect_at_rest();
  world_.pass(minutes(5));
  finish("tick-29456110", false);
  EXPECT_TRUE(active().empty());
  EXPECT_EQ(status("lastSuccessfulTime"), "2026-01-02T15:06:05Z");
}

TEST_F(CronJobsTest, HaveAClockSomewhere) {
  create_cron_job("10 16 * * *", R"("timeZone":"Europe/Berlin",)");
  world_.pass(minutes(6));
  ASSERT_EQ(job_names(), Names{"tick-29456110"});
  const json::Document document =
      world_.get("batch", "jobs", "default", "tick-29456110")->document().value();
  EXPECT_EQ(api::View(document.root())["metadata"]["annotations"]
                                      ["batch.kubernetes.io/cronjob-scheduled-timestamp"]
                                          .text(),
            "2026-01-02T16:10:00+01:00");
}

TEST_F(CronJobsTest, MayForbidThatRunsOverlap) {
  create_cron_job("*/5 * * * *", R"("concurrencyPolicy":"Forbid",)");
  world_.pass(minutes(6));
  EXPECT_EQ(job_names(), Names{"tick-29456105"});
  EXPECT_TRUE(
      has_event("Normal JobAlreadyActive: Not starting job because prior execution is running and "
                "concurrency policy is Forbid"));
  // What was due meanwhile begins late.
  finish("tick-29456105");
  EXPECT_EQ(job_names(), (Names{"tick-29456105", "tick-29456110"}));
}

TEST_F(CronJobsTest, MayReplaceTheRunBefore) {
  create_cron_job("*/5 * * * *", R"("concurrencyPolicy":"Replace",)");
  world_.pass(minutes(6));
  EXPECT_EQ(job_names(), Names{"tick-29456110"});
  EXPECT_EQ(active(), Names{"tick-29456110"});
  EXPECT_TRUE(has_event("Normal SuccessfulDelete: Deleted job tick-29456105"));
}

TEST_F(CronJobsTest, KeepSomeOfTheirHistory) {
  create_cron_job("*/5 * * * *", R"("successfulJobsHistoryLimit":2,"failedJobsHistoryLimit":1,)");
  for (const auto& [name, success] : {std::pair("tick-29456105", true),
                                      {"tick-29456110", false},
                                      {"tick-29456115", true},
                                      {"tick-29456120", false},
                                      {"tick-29456125", true}}) {
    world_.pass(minutes(5));
    finish(name, success);
  }
  EXPECT_EQ(job_names(), (Names{"tick-29456115", "tick-29456120", "tick-29456125"}));
  EXPECT_TRUE(active().empty());
}

TEST_F(CronJobsTest, AreSuspended) {
  create_cron_job("*/5 * * * *", R"("suspend":true,)");
  world_.pass(minutes(12));
  EXPECT_TRUE(job_names().empty());
  patch(R"({"suspend":false})");
  // What was due last begins now.
  EXPECT_EQ(job_names(), Names{"tick-29456115"});
}

TEST_F(CronJobsTest, StartLateOnlyWithinTheDeadline) {
  create_cron_job("0 * * * *", R"("startingDeadlineSeconds":60,)");
  world_.restart();
  world_.clock().advance(hours(1));  // nobody looked
  world_.settle();
  EXPECT_TRUE(job_names().empty());
  world_.pass(minutes(56));
  EXPECT_EQ(job_names(), Names{"tick-29456220"});
  world_.restart();
  world_.clock().advance(minutes(60) + seconds(25));
  world_.settle();
  EXPECT_EQ(job_names(), (Names{"tick-29456220", "tick-29456280"}));
}

TEST_F(CronJobsTest, StartOneJobForMissedRuns) {
  create_cron_job("*/5 * * * *");
  world_.restart();
  world_.clock().advance(hours(24));
  world_.settle();
  EXPECT_EQ(job_names(), Names{"tick-29457540"});
  EXPECT_TRUE(
      has_event("Warning TooManyMissedTimes: too many missed start times. Set or decrease "
                ".spec.startingDeadlineSeconds or check clock skew"));
}

TEST_F(CronJobsTest, ANewScheduleDoesNotMakeUpEarlierRuns) {
  create_cron_job("0 0 1 1 *");
  world_.pass(hours(1));
  patch(R"({"schedule":"*/30 * * * *"})");
  EXPECT_TRUE(job_names().empty());
  world_.pass(minutes(26));
  EXPECT_EQ(job_names(), Names{"tick-29456190"});
}

TEST_F(CronJobsTest, KnowAJobThatTheyMadeBeforeTheyDied) {
  create_cron_job("*/5 * * * *");
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"batch/v1","kind":"CronJob","name":"tick",)"
      R"("controller":true,"uid":")" +
      std::string(cron_job()->metadata().uid) + "\"}]";
  world_.create("batch", "jobs", "default",
                R"({"metadata":{"name":"tick-29456105",)" + owner +
                    R"(},"spec":{"template":{"spec":{"restartPolicy":"Never",)"
                    R"("containers":[{"name":"c","image":"i"}]}}}})");
  world_.pass(minutes(1));
  EXPECT_EQ(job_names(), Names{"tick-29456105"});
  EXPECT_EQ(active(), Names{"tick-29456105"});
  EXPECT_EQ(status("lastScheduleTime"), "2026-01-02T15:05:00Z");
  EXPECT_TRUE(
      has_event("Warning UnexpectedJob: Saw a job that the controller did not create or forgot: "
                "tick-29456105"));
}

TEST_F(CronJobsTest, ForbidOverlapWithAnUnrecordedRun) {
  create_cron_job("*/5 * * * *", R"("concurrencyPolicy":"Forbid",)");
  world_.pass(minutes(1));
  ASSERT_EQ(active(), Names{"tick-29456105"});
  // The controller dies, before it can write what it has done, and comes back when the next is due.
  world_.patch("batch", "cronjobs", "default", "tick",
               R"({"status":{"active":null,"lastScheduleTime":null}})", "status");
  world_.restart();
  world_.clock().advance(minutes(5));
  world_.settle();
  EXPECT_EQ(job_names(), Names{"tick-29456105"});
  EXPECT_EQ(active(), Names{"tick-29456105"});
  EXPECT_EQ(status("lastScheduleTime"), "2026-01-02T15:05:00Z");
}

TEST_F(CronJobsTest, ForgetDeletedJobs) {
  create_cron_job("*/5 * * * *", R"("concurrencyPolicy":"Forbid",)");
  world_.pass(minutes(1));
  ASSERT_EQ(active(), Names{"tick-29456105"});
  world_.clock().advance(seconds(1));
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("batch", "jobs", "default", "tick-29456105"),
                          {.propagation = api::Propagation::kBackground}, {})
                  .ok());
  world_.settle();
  EXPECT_TRUE(active().empty());
  EXPECT_TRUE(has_event("Normal MissingJob: Active job went missing: tick-29456105"));
  world_.pass(minutes(5));
  EXPECT_EQ(job_names(), Names{"tick-29456110"});
}

TEST_F(CronJobsTest, CreateNothingWhileBeingDeleted) {
  create_cron_job("*/5 * * * *");
  ASSERT_TRUE(world_.client()
                  .remove(world_.place("batch", "cronjobs", "default", "tick"),
                          {.propagation = api::Propagation::kForeground}, {})
                  .ok());
  world_.pass(minutes(6));
  ASSERT_NE(cron_job(), nullptr);
  EXPECT_TRUE(job_names().empty());
}

TEST_F(CronJobsTest, ReportAScheduleThatNeverMatches) {
  create_cron_job("59 23 31 2 *");
  EXPECT_TRUE(
      has_event("Warning InvalidSchedule: invalid schedule: 59 23 31 2 * : time difference between "
                "two schedules is less than 1 second"));
}

}  // namespace
}  // namespace proa::controllers
