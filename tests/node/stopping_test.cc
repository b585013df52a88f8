// Lifecycle handlers and termination of containers.

#include "given.h"

namespace proa::node_tests {
namespace {

using StoppingTest = GivenTest;
using Clock = std::chrono::steady_clock;

constexpr const char* kStays = "trap 'exit 0' TERM; sleep 1000 & wait";
// Files that containers leave on the host when their pod is gone.
constexpr const char* kLeft =
    "volumes: [{name: left, hostPath: {path: /tmp/proa-node-tests, type: DirectoryOrCreate}}], ";
constexpr const char* kMount = "volumeMounts: [{name: left, mountPath: /left}]";

std::string left(const std::string& name) {
  std::string text = e2e::run_shell("cat /tmp/proa-node-tests/" + name).text;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

// A pod that writes to /left/NAME.
std::string leaving(const std::string& name, int grace, const std::string& script,
                    const std::string& fields = "") {
  return Given::with_spec(
      name, std::string(kLeft) + "terminationGracePeriodSeconds: " + std::to_string(grace) +
                ", containers: [" +
                Given::container("main", script, kMount + (fields.empty() ? "" : ", " + fields)) +
                "]");
}

class StopTest : public StoppingTest {
 protected:
  static void SetUpTestSuite() {
    e2e::run_shell("rm -rf /tmp/proa-node-tests");
    StoppingTest::SetUpTestSuite();
  }
  static void TearDownTestSuite() {
    StoppingTest::TearDownTestSuite();
    e2e::run_shell("rm -rf /tmp/proa-node-tests");
  }

  // Deletes a pod and returns how many seconds its termination took.
  static double remove(const std::string& pod, const std::string& flags = "") {
    const Clock::time_point begin = Clock::now();
    cluster_->ask("delete pod " + pod + " " + flags);
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }
  // Until nothing of it is in the runtime.
  static bool is_gone(const std::string& uid) {
    return testkit::holds_within(std::chrono::seconds(10), [&] {
      const e2e::Outcome found = cluster_->containers("labels.\"io.kubernetes.pod.uid\"==" + uid);
      return found.code == 0 && found.text.empty();
    });
  }
};

const Given kPolite(leaving("polite", 20,
                            "trap 'echo told > /left/polite; exit 0' TERM; "
                            "echo up > /left/polite; sleep 1000 & wait"));
TEST_F(StopTest, ContainersAreToldAndEndByThemselves) {
  ASSERT_TRUE(cluster_->wait("polite"));
  EXPECT_LT(remove("polite"), 15);
  EXPECT_EQ(left("polite"), "told");
}

const Given kStubborn(leaving("stubborn", 3,
                              "trap 'date +%s > /left/stubborn-told' TERM; "
                              "while true; do date +%s > /left/stubborn; sleep 0.2; "
                              "done"));
TEST_F(StopTest, WhoDoesNotEndIsKilledAfterTheGracePeriod) {
  ASSERT_TRUE(cluster_->wait("stubborn"));
  EXPECT_GE(remove("stubborn"), 2.9);
  const long lived = std::stol(left("stubborn")) - std::stol(left("stubborn-told"));
  EXPECT_GE(lived, 2);
  EXPECT_LE(lived, 5);
}

const Given kStatusOfEnd(leaving("killed", 30, "sleep 1000"));
TEST_F(StopTest, AShorterGracePeriodCountsFromWhenItWasAskedFor) {
  ASSERT_TRUE(cluster_->wait("killed"));
  cluster_->ask("delete pod killed --wait=false");
  ASSERT_TRUE(becomes("killed", "metadata.deletionGracePeriodSeconds", "30"));
  EXPECT_EQ(field("killed", "status.phase"), "Running");
  const double took = remove("killed", "--grace-period=1");
  EXPECT_LT(took, 15);
}

const Given kForced(leaving("forced", 100,
                            "trap 'echo told > /left/forced; exit 0' TERM; "
                            "sleep 1000 & wait"));
TEST_F(StopTest, ForceForgetsThePodAtOnceAndEndsItsContainersStill) {
  ASSERT_TRUE(cluster_->wait("forced"));
  const std::string uid = field("forced", "metadata.uid");
  EXPECT_LT(remove("forced", "--force --grace-period=0"), 5);
  EXPECT_TRUE(is_gone(uid));
  EXPECT_EQ(left("forced"), "told");
}

const Given kStarted(leaving("started", 1, kStays,
                             "lifecycle: {postStart: {exec: {command: [sh, -c, 'echo started > "
                             "/left/started']}}}"));
TEST_F(StopTest, PostStartRunsInsideTheContainer) {
  ASSERT_TRUE(cluster_->wait("started"));
  EXPECT_EQ(left("started"), "started");
}

const Given kBadStart(leaving("bad-start", 1, kStays,
                              "lifecycle: {postStart: {exec: {command: [sh, -c, 'exit 6']}}}"));
TEST_F(StopTest, AContainerWhosePostStartFailsIsKilled) {
  ASSERT_TRUE(hears("bad-start", "Warning FailedPostStartHook PostStartHook failed"));
  EXPECT_TRUE(hears("bad-start", "Normal Killing FailedPostStartHook"));
  // The number by now depends on the speed of the machine.
  ASSERT_TRUE(cluster_->wait(
      "bad-start", "jsonpath={.status.containerStatuses[0].lastState.terminated.containerID}"));
  EXPECT_EQ(field("bad-start", "status.conditions[?(@.type==\"Ready\")].status"), "False");
}

const Given kBefore(leaving("before", 20,
                            "trap 'echo signal >> /left/before; exit 0' TERM; "
                            "sleep 1000 & wait",
                            "lifecycle: {preStop: {exec: {command: [sh, -c, 'sleep 1; echo hook >> "
                            "/left/before']}}}"));
TEST_F(StopTest, PreStopRunsBeforeTheSignal) {
  ASSERT_TRUE(cluster_->wait("before"));
  EXPECT_GE(remove("before"), 1);
  EXPECT_EQ(left("before"), "hook\nsignal");
}

const Given kLongHook(leaving("long-hook", 2, "sleep 1000",
                              "lifecycle: {preStop: {exec: {command: [sleep, '1000']}}}"));
TEST_F(StopTest, PreStopDoesNotOutliveTheGracePeriod) {
  ASSERT_TRUE(cluster_->wait("long-hook"));
  EXPECT_LT(remove("long-hook"), 15);
  EXPECT_TRUE(hears("long-hook", "Warning FailedPreStopHook PreStopHook failed"));
}

const Given kSleepHook(leaving("sleep-hook", 20, kStays,
                               "lifecycle: {preStop: {sleep: {seconds: 2}}}"));
TEST_F(StopTest, PreStopMaySleep) {
  ASSERT_TRUE(cluster_->wait("sleep-hook"));
  const double took = remove("sleep-hook");
  EXPECT_GE(took, 2);
  EXPECT_LT(took, 15);
}

// busybox's server responds, and its log says so.
const Given kHttpHook(leaving(
    "http-hook", 20,
    "mkdir /tmp/web; echo hi > /tmp/web/bye; trap 'exit 0' TERM; "
    "httpd -f -vv -p 8080 -h /tmp/web 2> /left/http-hook & wait",
    "lifecycle: {preStop: {httpGet: {path: /bye, port: 8080}}}, readinessProbe: {tcpSocket: {port: "
    "8080}, periodSeconds: 1}"));
TEST_F(StopTest, PreStopMayAskOverHttp) {
  ASSERT_TRUE(cluster_->wait("http-hook"));
  remove("http-hook");
  EXPECT_NE(left("http-hook").find("url:/bye"), std::string::npos) << left("http-hook");
}

// The sidecar is stopped last, but its handler runs while the others terminate.
const Given kSidecarHook(Given::with_spec(
    "sidecar-hook",
    std::string(kLeft) + "terminationGracePeriodSeconds: 20, initContainers: [" +
        Given::container("side",
                         "trap 'echo side >> /left/sidecar-hook; exit 0' TERM; sleep 1000 & wait",
                         std::string("restartPolicy: Always, lifecycle: {preStop: {exec: {command: "
                                     "[sh, -c, 'echo hook >> /left/sidecar-hook']}}}, ") +
                             kMount) +
        "], containers: [" +
        Given::container("main",
                         "trap 'sleep 2; echo main >> /left/sidecar-hook; exit 0' TERM; "
                         "sleep 1000 & wait",
                         kMount) +
        "]"));
TEST_F(StopTest, PreStopOfASidecarDoesNotWaitForItsTurn) {
  ASSERT_TRUE(cluster_->wait("sidecar-hook"));
  EXPECT_LT(remove("sidecar-hook"), 15);
  EXPECT_EQ(left("sidecar-hook"), "hook\nmain\nside");
}

// The API's stop signals of containers are behind a disabled gate: the image's applies.
const Given kSignal(leaving("signal", 1, kStays, "lifecycle: {stopSignal: SIGUSR1}"));
TEST_F(StopTest, StopSignalsAreNotKept) {
  ASSERT_TRUE(cluster_->wait("signal"));
  EXPECT_EQ(field("signal", "spec.containers[0].lifecycle"), "");
  EXPECT_EQ(field("signal", "status.containerStatuses[0].stopSignal"), "");
}

// The state left by a runtime that is killed while stopping a container.
const Given kFrozen(leaving("frozen", 30, kStays));
TEST_F(StopTest, WhatIsFrozenEndsToo) {
  ASSERT_TRUE(cluster_->wait("frozen"));
  const std::string uid = field("frozen", "metadata.uid");
  const e2e::Outcome frozen = e2e::run_shell(
      "set -e; cd /sys/fs/cgroup; "
      "for file in $(find . -path '*/pod" +
      uid +
      "/*/freezer.state'); do echo FROZEN > $file; cat $file; done; "
      "if [ -e cgroup.controllers ]; then for file in $(find . -path '*/pod" +
      uid + "/*/cgroup.freeze'); do echo 1 > $file; cat $file; done; fi");
  ASSERT_FALSE(frozen.text.empty());
  EXPECT_LT(remove("frozen", "--timeout=60s"), 15);
  EXPECT_TRUE(is_gone(uid));
}

TEST_F(StopTest, WhatIsDeletedWhileItStartsGoesToo) {
  cluster_->apply(leaving("early", 1, kStays));
  const std::string uid = field("early", "metadata.uid");
  remove("early");
  EXPECT_TRUE(is_gone(uid));
}

}  // namespace
}  // namespace proa::node_tests
