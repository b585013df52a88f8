#include "kubelet/runtime/images/pull_jobs.h"

#include <gtest/gtest.h>

#include "testkit/fake_clock.h"
#include "testkit/kubelet/fake_runtime.h"

namespace proa::kubelet {
namespace {

class PullJobsTest : public testing::Test {
 protected:
  PullRequest request(const std::string& reference) { return {reference, {}}; }
  void offer(const std::string& reference) {
    cri::Image image;
    image.id = "sha256:" + reference;
    runtime.offer_image(reference, image);
  }

  testkit::FakeClock clock;
  testkit::FakeRuntime runtime{clock};
  WorkerPool pool{{.max_threads = 0}};
  json::Value sandbox = json::Value::object();
  std::string log;
};

TEST_F(PullJobsTest, OnePullServesAllWhoWantTheSame) {
  offer("i:1");
  PullJobs* all = nullptr;
  PullJobs jobs(runtime, clock, pool, 2, [&](const PullRequest&, const PullOutcome&) {
    // Still under way: this one joins.
    EXPECT_TRUE(all->is_pulling("i:1"));
    all->pull(request("i:1"), sandbox, [&](const PullOutcome& o) { log += "b=" + o.image->id; });
  });
  all = &jobs;
  jobs.pull(request("i:1"), sandbox, [&](const PullOutcome&) { log += "a "; });
  EXPECT_EQ(log, "a b=sha256:i:1");
  EXPECT_EQ(runtime.calls(), std::vector<std::string>{"pull_image i:1"});
  EXPECT_FALSE(jobs.is_pulling("i:1"));
}

TEST_F(PullJobsTest, OthersWaitForTheirTurn) {
  offer("i:1");
  offer("i:2");
  PullJobs* all = nullptr;
  PullJobs jobs(runtime, clock, pool, 1, [&](const PullRequest& ended, const PullOutcome&) {
    if (ended.reference != "i:1") return;
    all->pull(request("i:2"), sandbox, [&](const PullOutcome&) { log += "2 "; });
    EXPECT_EQ(runtime.calls(), std::vector<std::string>{"pull_image i:1"});
  });
  all = &jobs;
  jobs.pull(request("i:1"), sandbox, [&](const PullOutcome&) { log += "1 "; });
  EXPECT_EQ(log, "1 2 ");
}

TEST_F(PullJobsTest, TriesKeysInTheirOrder) {
  offer("i:1");
  PullRequest with_keys = request("i:1");
  with_keys.keys.resize(2);
  with_keys.keys[0].secret_name = "first";
  with_keys.keys[1].secret_name = "second";
  PullJobs jobs(runtime, clock, pool, 1, [](const PullRequest&, const PullOutcome&) {});
  runtime.fail_next("pull_image", Status(Reason::kForbidden, "denied"));
  jobs.pull(with_keys, sandbox,
            [&](const PullOutcome& outcome) { log += outcome.key->secret_name + " "; });
  runtime.fail_next("pull_image", Status(Reason::kForbidden, "denied"));
  runtime.fail_next("pull_image", Status(Reason::kNotFound, "gone"));
  jobs.pull(with_keys, sandbox, [&](const PullOutcome& outcome) { log += outcome.error; });
  EXPECT_EQ(log,
            "second [rpc error: code = PermissionDenied desc = denied, rpc error: code = NotFound "
            "desc = gone]");
}

}  // namespace
}  // namespace proa::kubelet
