// When containers are restarted, and the status of terminated ones.

#include "given.h"

namespace proa::node_tests {
namespace {

using RestartsTest = GivenTest;

constexpr const char* kShared =
    "volumes: [{name: shared, emptyDir: {}}], terminationGracePeriodSeconds: 1, ";
constexpr const char* kMount = "volumeMounts: [{name: shared, mountPath: /shared}]";
constexpr const char* kStays = "trap 'exit 0' TERM; sleep 1000 & wait";
const std::string kFirst = "status.containerStatuses[0].";

// Exits with that code on its first start, and keeps running on its second.
std::string ends_once(int code) {
  return "[ -e /shared/again ] && { " + std::string(kStays) + "; }; touch /shared/again; exit " +
         std::to_string(code);
}

std::string with_policy(const std::string& name, const std::string& policy,
                        const std::string& containers) {
  return Given::with_spec(name, std::string(kShared) + "restartPolicy: " + policy +
                                    ", containers: [" + containers + "]");
}

// Runs first: it checks the first back-off, which is short.
const Given kCrashing(with_policy("crashing", "Always", Given::container("main", "exit 3")));
TEST_F(RestartsTest, WhoeverEndsAgainAndAgainWaits) {
  ASSERT_TRUE(becomes("crashing", kFirst + "state.waiting.reason", "CrashLoopBackOff"));
  const std::string uid = field("crashing", "metadata.uid");
  EXPECT_EQ(field("crashing", kFirst + "state.waiting.message"),
            "back-off 10s restarting failed container=main pod=crashing_default(" + uid + ")");
  EXPECT_EQ(field("crashing", kFirst + "restartCount"), "1");
  EXPECT_EQ(field("crashing", kFirst + "lastState.terminated.exitCode"), "3");
  EXPECT_EQ(field("crashing", "status.phase"), "Running");
  EXPECT_EQ(field("crashing", "status.conditions[?(@.type==\"Ready\")].reason"),
            "ContainersNotReady");
  EXPECT_TRUE(hears("crashing",
                    "Warning BackOff Back-off restarting failed container main in pod "
                    "crashing_default(" +
                        uid + ")"));
  ASSERT_TRUE(becomes("crashing", kFirst + "restartCount", "2"));
  ASSERT_TRUE(
      becomes("crashing", kFirst + "state.waiting.message",
              "back-off 20s restarting failed container=main pod=crashing_default(" + uid + ")"));
  EXPECT_EQ(cluster_->kubectl("logs --previous crashing").code, 0);
}

const Given kAlways(with_policy("always", "Always",
                                Given::container("main", ends_once(0), kMount)));
TEST_F(RestartsTest, AlwaysStartsAgainWhateverTheEndWas) {
  ASSERT_TRUE(becomes("always", kFirst + "restartCount", "1"));
  ASSERT_TRUE(cluster_->wait("always"));
  EXPECT_EQ(field("always", kFirst + "lastState.terminated.exitCode"), "0");
  EXPECT_EQ(field("always", kFirst + "lastState.terminated.reason"), "Completed");
  EXPECT_EQ(field("always", "status.phase"), "Running");
  EXPECT_NE(field("always", kFirst + "lastState.terminated.containerID"),
            field("always", kFirst + "containerID"));
}

const Given kOnFailure(with_policy("on-failure", "OnFailure",
                                   Given::container("bad", ends_once(5), kMount) + "," +
                                       Given::container("good", "true")));
TEST_F(RestartsTest, OnFailureStartsAgainWhatFailed) {
  ASSERT_TRUE(becomes("on-failure", "status.containerStatuses[*].restartCount", "1 0"));
  EXPECT_EQ(field("on-failure", kFirst + "lastState.terminated.exitCode"), "5");
  EXPECT_EQ(field("on-failure", "status.containerStatuses[1].state.terminated.reason"),
            "Completed");
  EXPECT_EQ(field("on-failure", "status.phase"), "Running");
}

const Given kNever(with_policy("never", "Never",
                               Given::container("bad", "exit 9") + "," +
                                   Given::container("good", "true")));
TEST_F(RestartsTest, NeverStartsNothingAgain) {
  ASSERT_TRUE(becomes("never", "status.phase", "Failed"));
  EXPECT_EQ(field("never", "status.containerStatuses[*].state.terminated.exitCode"), "9 0");
  EXPECT_EQ(field("never", "status.containerStatuses[*].restartCount"), "0 0");
  EXPECT_EQ(field("never", "status.conditions[?(@.type==\"ContainersReady\")].reason"),
            "PodFailed");
}

const Given kSucceeds(with_policy("succeeds", "OnFailure", Given::container("main", "true")));
TEST_F(RestartsTest, APodWhoseContainersHaveAllDoneTheirWorkSucceeds) {
  ASSERT_TRUE(becomes("succeeds", "status.phase", "Succeeded"));
  EXPECT_EQ(field("succeeds", kFirst + "started"), "false");
  EXPECT_EQ(field("succeeds", "status.observedGeneration"), "1");
}

const Given kOwnPolicy(with_policy(
    "own-policy", "Never",
    Given::container("again", ends_once(1), std::string("restartPolicy: OnFailure, ") + kMount) +
        "," +
        Given::container("listed", ends_once(42),
                         std::string("restartPolicy: Never, restartPolicyRules: [{action: Restart, "
                                     "exitCodes: {operator: In, values: [42]}}], ") +
                             "volumeMounts: [{name: shared, mountPath: /shared, subPath: own}]") +
        "," +
        Given::container("other", "exit 41",
                         "restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: "
                         "{operator: In, values: [42]}}]")));
TEST_F(RestartsTest, ContainersMayHaveAPolicyAndRulesOfTheirOwn) {
  ASSERT_TRUE(becomes("own-policy", "status.containerStatuses[*].restartCount", "1 1 0"));
  EXPECT_EQ(field("own-policy", "status.containerStatuses[1].lastState.terminated.exitCode"), "42");
  EXPECT_EQ(field("own-policy", "status.containerStatuses[2].state.terminated.exitCode"), "41");
  EXPECT_EQ(field("own-policy", "status.phase"), "Running");
}

const std::string kRestartsAll =
    "restartPolicy: Never, restartPolicyRules: [{action: RestartAllContainers, exitCodes: "
    "{operator: In, values: [88]}}], ";
const Given kAllAgain(Given::with_spec(
    "all-again",
    std::string(kShared) + "restartPolicy: Never, initContainers: [" +
        Given::container("init", "echo init >> /shared/log", kMount) + "], containers: [" +
        Given::container("main", "echo main >> /shared/log; " + std::string(kStays), kMount) + "," +
        Given::container("watch",
                         "sleep 1; [ -e /shared/again ] && { " + std::string(kStays) +
                             "; }; touch /shared/again; exit 88",
                         kRestartsAll + kMount) +
        "]"));
TEST_F(RestartsTest, TheEndOfOneContainerMayStartAllOfThemAgain) {
  ASSERT_TRUE(becomes("all-again", "status.containerStatuses[*].restartCount", "1 1"));
  ASSERT_TRUE(cluster_->wait("all-again"));
  EXPECT_EQ(field("all-again", "status.initContainerStatuses[0].restartCount"), "1");
  EXPECT_EQ(cluster_->inside("all-again", "cat /shared/log", "main"), "init\nmain\ninit\nmain");
  EXPECT_EQ(field("all-again", "status.containerStatuses[0].lastState.terminated.reason"),
            "RestartingAllContainers");
  EXPECT_EQ(field("all-again", "status.conditions[?(@.type==\"AllContainersRestarting\")].status"),
            "False");
  EXPECT_EQ(field("all-again", "status.phase"), "Running");
}

const Given kMessages(with_policy(
    "messages", "Never",
    Given::container("a-file", "echo bye > /dev/termination-log; echo log") + "," +
        Given::container("b-own-file", "echo own > /tmp/last",
                         "terminationMessagePath: /tmp/last") +
        "," +
        Given::container("c-log", "echo from the log; exit 1",
                         "terminationMessagePolicy: FallbackToLogsOnError") +
        "," +
        Given::container("d-good-log", "echo from the log",
                         "terminationMessagePolicy: FallbackToLogsOnError") +
        "," +
        Given::container("e-both", "echo from the log; echo file > /dev/termination-log; exit 1",
                         "terminationMessagePolicy: FallbackToLogsOnError") +
        "," + Given::container("f-log-unasked", "echo from the log; exit 1") + "," +
        Given::container("g-long", "yes 123456789 | head -n 1000 > /dev/termination-log")));
TEST_F(RestartsTest, ContainersMayLeaveAMessage) {
  ASSERT_TRUE(becomes("messages", "status.phase", "Failed"));
  const auto message = [](int index) {
    return field("messages", "status.containerStatuses[" + std::to_string(index) +
                                 "].state.terminated.message");
  };
  EXPECT_EQ(message(0), "bye");
  EXPECT_EQ(message(1), "own");
  EXPECT_EQ(message(2), "from the log");
  EXPECT_EQ(message(3), "");
  EXPECT_EQ(message(4), "file");
  EXPECT_EQ(message(5), "");
  // Seven containers share 12 KiB.
  EXPECT_EQ(message(6).size(), size_t{12 * 1024 / 7});
}

const Given kMissingProgram(with_policy(
    "missing-program", "Never", "{name: main, image: 'busybox:1', command: [/no/such/program]}"));
TEST_F(RestartsTest, WhatCannotBeStartedSaysWhy) {
  ASSERT_TRUE(becomes("missing-program", "status.phase", "Failed"));
  EXPECT_EQ(field("missing-program", kFirst + "state.terminated.reason"), "StartError");
  EXPECT_EQ(field("missing-program", kFirst + "state.terminated.exitCode"), "128");
  EXPECT_NE(field("missing-program", kFirst + "state.terminated.message").find("/no/such/program"),
            std::string::npos);
  EXPECT_TRUE(hears("missing-program", "Warning Failed Error: "));
}

const Given kHungry(with_policy("hungry", "Never",
                                Given::container("main",
                                                 "x=1234567890; while true; do x=$x$x; done",
                                                 "resources: {limits: {memory: 24Mi}}")));
TEST_F(RestartsTest, WhoTakesTooMuchMemoryIsSaidToHave) {
  ASSERT_TRUE(becomes("hungry", "status.phase", "Failed"));
  EXPECT_EQ(field("hungry", kFirst + "state.terminated.reason"), "OOMKilled");
  EXPECT_EQ(field("hungry", kFirst + "state.terminated.exitCode"), "137");
}

}  // namespace
}  // namespace proa::node_tests
