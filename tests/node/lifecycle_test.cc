// Startup and termination of pods: init containers, sidecars, ephemeral containers, phases and
// conditions.

#include "given.h"

namespace proa::node_tests {
namespace {

using LifecycleTest = GivenTest;

constexpr const char* kShared =
    "volumes: [{name: shared, emptyDir: {}}], terminationGracePeriodSeconds: 1, ";
constexpr const char* kMount = "volumeMounts: [{name: shared, mountPath: /shared}]";

// "Type=Status" of a healthy, running pod.
constexpr const char* kAllTrue =
    "ContainersReady=True Initialized=True PodReadyToStartContainers=True PodScheduled=True "
    "Ready=True";

const Given kInOrder(Given::with_spec(
    "in-order",
    std::string(kShared) + "restartPolicy: Never, initContainers: [" +
        Given::container("one", "sleep 1; echo one >> /shared/log", kMount) + "," +
        Given::container("two", "echo two >> /shared/log", kMount) + "], containers: [" +
        Given::container("main", "echo main >> /shared/log; cat /shared/log", kMount) + "]"));
TEST_F(LifecycleTest, InitContainersRunOneAfterTheOther) {
  ASSERT_TRUE(becomes("in-order", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs in-order -c main"), "one\ntwo\nmain");
  EXPECT_EQ(field("in-order", "status.initContainerStatuses[*].state.terminated.reason"),
            "Completed Completed");
  EXPECT_EQ(field("in-order", "status.initContainerStatuses[*].ready"), "true true");
  EXPECT_EQ(field("in-order", "status.initContainerStatuses[*].started"), "false false");
  EXPECT_EQ(field("in-order", "status.containerStatuses[0].ready"), "false");
  ASSERT_TRUE(becomes(
      "in-order", "status.conditions[?(@.type==\"PodReadyToStartContainers\")].status", "False"));
  EXPECT_EQ(conditions("in-order"),
            "ContainersReady=False Initialized=True PodReadyToStartContainers=False "
            "PodScheduled=True Ready=False");
  EXPECT_EQ(field("in-order", "status.conditions[?(@.type==\"Ready\")].reason"), "PodCompleted");
  EXPECT_EQ(field("in-order", "status.conditions[?(@.type==\"Initialized\")].reason"),
            "PodCompleted");
}

const Given kSlowInit(Given::with_spec(
    "slow-init",
    std::string(kShared) + "initContainers: [" +
        Given::container("wait", "until [ -e /shared/go ]; do sleep 0.1; done", kMount) +
        "], containers: [" + Given::container("main", "sleep 1000") + "]"));
TEST_F(LifecycleTest, PodsArePendingUntilTheyAreInitialized) {
  ASSERT_TRUE(becomes("slow-init", "status.initContainerStatuses[0].started", "true"));
  EXPECT_EQ(field("slow-init", "status.phase"), "Pending");
  EXPECT_EQ(field("slow-init", "status.containerStatuses[0].state.waiting.reason"),
            "PodInitializing");
  EXPECT_EQ(field("slow-init", "status.conditions[?(@.type==\"Initialized\")].message"),
            "containers with incomplete status: [wait]");
  EXPECT_EQ(field("slow-init", "status.conditions[?(@.type==\"Ready\")].message"),
            "containers with unready status: [main]");
  cluster_->inside("slow-init", "touch /shared/go", "wait");
  ASSERT_TRUE(cluster_->wait("slow-init"));
  EXPECT_EQ(field("slow-init", "status.phase"), "Running");
  EXPECT_EQ(conditions("slow-init"), kAllTrue);
}

const Given kFailingInit(Given::with_spec(
    "failing-init",
    std::string(kShared) + "restartPolicy: OnFailure, initContainers: [" +
        Given::container("once", "echo tried >> /shared/log; [ $(wc -l < /shared/log) -gt 1 ]",
                         kMount) +
        "], containers: [" + Given::container("main", "cat /shared/log", kMount) + "]"));
TEST_F(LifecycleTest, AnInitContainerThatFailsIsTriedAgain) {
  ASSERT_TRUE(becomes("failing-init", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs failing-init -c main"), "tried\ntried");
  EXPECT_EQ(field("failing-init", "status.initContainerStatuses[0].restartCount"), "1");
  EXPECT_EQ(field("failing-init", "status.initContainerStatuses[0].lastState.terminated.exitCode"),
            "1");
}

const Given kFailedInit(Given::with_spec(
    "failed-init", "restartPolicy: Never, initContainers: [" + Given::container("bad", "exit 7") +
                       "," + Given::container("later", "true") + "], containers: [" +
                       Given::container("main", "true") + "]"));
TEST_F(LifecycleTest, AnInitContainerThatFailsForGoodFailsThePod) {
  ASSERT_TRUE(becomes("failed-init", "status.phase", "Failed"));
  EXPECT_EQ(field("failed-init", "status.initContainerStatuses[0].state.terminated.exitCode"), "7");
  EXPECT_EQ(field("failed-init", "status.initContainerStatuses[0].state.terminated.reason"),
            "Error");
  EXPECT_EQ(field("failed-init", "status.initContainerStatuses[1].state.waiting.reason"),
            "PodInitializing");
  EXPECT_EQ(field("failed-init", "status.containerStatuses[0].state.waiting.reason"),
            "PodInitializing");
  EXPECT_EQ(field("failed-init", "status.conditions[?(@.type==\"Initialized\")].status"), "False");
  EXPECT_EQ(field("failed-init", "status.conditions[?(@.type==\"Ready\")].reason"), "PodFailed");
}

// The sidecar writes when it starts and when it is asked to stop.
const Given kSidecar(Given::with_spec(
    "sidecar",
    std::string(kShared) + "restartPolicy: Never, initContainers: [" +
        Given::container("first",
                         "trap 'echo first ends >> /shared/log; cat /shared/log; exit' TERM; "
                         "echo first >> /shared/log; sleep 1000 & wait",
                         std::string("restartPolicy: Always, ") + kMount) +
        "," +
        Given::container("second",
                         "trap 'echo second ends >> /shared/log; exit' TERM; "
                         "echo second >> /shared/log; touch /shared/up; sleep 1000 & wait",
                         std::string("restartPolicy: Always, startupProbe: {exec: {command: [test, "
                                     "-e, /shared/up]}, periodSeconds: 1}, ") +
                             kMount) +
        "], containers: [" +
        Given::container("main", "echo main >> /shared/log; sleep 2; echo main ends >> /shared/log",
                         kMount) +
        "]"));
TEST_F(LifecycleTest, SidecarsBeginBeforeTheOthersAndEndAfterThem) {
  ASSERT_TRUE(becomes("sidecar", "status.phase", "Succeeded"));
  EXPECT_EQ(cluster_->ask("logs sidecar -c first"),
            "first\nsecond\nmain\nmain ends\nsecond ends\nfirst ends");
  EXPECT_EQ(field("sidecar", "status.initContainerStatuses[*].restartCount"), "0 0");
  EXPECT_TRUE(hears("sidecar", "Normal Killing Stopping container second"));
}

const Given kStubbornSidecar(Given::with_spec(
    "restarting-sidecar",
    std::string(kShared) + "restartPolicy: Never, initContainers: [" +
        Given::container("side",
                         "[ -e /shared/again ] || { touch /shared/again; exit 3; }; "
                         "trap 'exit 0' TERM; sleep 1000 & wait",
                         std::string("restartPolicy: Always, ") + kMount) +
        "], containers: [" + Given::container("main", "trap 'exit 0' TERM; sleep 1000 & wait") +
        "]"));
TEST_F(LifecycleTest, SidecarsAreStartedAgainWhateverThePolicyOfThePod) {
  ASSERT_TRUE(becomes("restarting-sidecar", "status.initContainerStatuses[0].restartCount", "1"));
  ASSERT_TRUE(cluster_->wait("restarting-sidecar"));
  EXPECT_EQ(field("restarting-sidecar", "status.initContainerStatuses[0].ready"), "true");
  EXPECT_EQ(
      field("restarting-sidecar", "status.initContainerStatuses[0].lastState.terminated.exitCode"),
      "3");
  EXPECT_EQ(field("restarting-sidecar", "status.phase"), "Running");
}

const Given kDebugged(Given::pod("debugged", "trap 'exit 0' TERM; sleep 1000 & wait"));
TEST_F(LifecycleTest, AnEphemeralContainerLooksIntoARunningPod) {
  ASSERT_TRUE(cluster_->wait("debugged"));
  const std::string before = field("debugged", "status.containerStatuses[0].containerID");
  cluster_->ask(
      "debug debugged --image=busybox:1 --container=look --target=main --profile=general -- "
      "sh -c 'echo; tr \"\\0\" \" \" < /proc/1/cmdline; exit 4'");
  const std::string state = "status.ephemeralContainerStatuses[0].state.terminated.";
  ASSERT_TRUE(becomes("debugged", state + "exitCode", "4"));
  EXPECT_EQ(cluster_->ask("logs debugged -c look"),
            "\nsh -c trap 'exit 0' TERM; sleep 1000 & wait ");
  // They are never restarted, and nothing else changes.
  EXPECT_EQ(field("debugged", "status.ephemeralContainerStatuses[0].restartCount"), "0");
  EXPECT_EQ(field("debugged", "status.containerStatuses[0].containerID"), before);
  EXPECT_EQ(field("debugged", "status.phase"), "Running");
  EXPECT_EQ(field("debugged", "metadata.generation"),
            field("debugged", "status.observedGeneration"));
}

TEST_F(LifecycleTest, AnEphemeralContainerWithoutATargetSeesItselfOnly) {
  ASSERT_TRUE(cluster_->wait("debugged"));
  cluster_->ask(
      "debug debugged --image=busybox:1 --container=alone --profile=general -- "
      "sh -c 'echo alone; set -- /proc/[0-9]*; echo $#'");
  ASSERT_TRUE(becomes(
      "debugged", "status.ephemeralContainerStatuses[?(@.name==\"alone\")].state.terminated.reason",
      "Completed"));
  EXPECT_EQ(cluster_->ask("logs debugged -c alone"), "alone\n1");
}

const Given kLate(Given::with_spec(
    "late", "activeDeadlineSeconds: 2, terminationGracePeriodSeconds: 1, containers: [" +
                Given::container("main", "trap 'exit 0' TERM; sleep 1000 & wait") + "]"));
TEST_F(LifecycleTest, PodsEndAtTheirDeadline) {
  ASSERT_TRUE(becomes("late", "status.phase", "Failed"));
  EXPECT_EQ(field("late", "status.reason"), "DeadlineExceeded");
  EXPECT_EQ(field("late", "status.message"),
            "Pod was active on the node longer than the specified deadline");
  ASSERT_TRUE(becomes("late", "status.containerStatuses[0].state.terminated.exitCode", "0"));
  EXPECT_TRUE(hears("late",
                    "Normal DeadlineExceeded Pod was active on the node longer than the specified "
                    "deadline"));
}

const Given kJob(R"(
apiVersion: batch/v1
kind: Job
metadata: {name: sum}
spec:
  completions: 3
  parallelism: 3
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox:1, command: [sh, -c, "expr 6 \\* 7"]}]
)");
TEST_F(LifecycleTest, JobsComplete) {
  const e2e::Outcome done =
      cluster_->kubectl("wait --for=condition=Complete job/sum" + Cluster::within(40));
  EXPECT_EQ(done.code, 0) << done.text;
  EXPECT_EQ(cluster_->ask("get job sum -o jsonpath={.status.succeeded}"), "3");
  EXPECT_EQ(cluster_->ask("logs -l job-name=sum"), "42\n42\n42");
}

const Given kDeployment(R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: main
        image: proa/hello:1
        env: [{name: COLOUR, value: red}]
        readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 1}
)");
TEST_F(LifecycleTest, DeploymentsRollOut) {
  e2e::Outcome done = cluster_->kubectl("rollout status deployment/web" + Cluster::within(40));
  EXPECT_EQ(done.code, 0) << done.text;
  cluster_->ask("set env deployment/web COLOUR=blue");
  done = cluster_->kubectl("rollout status deployment/web" + Cluster::within(40));
  EXPECT_EQ(done.code, 0) << done.text;
  cluster_->eventually(
      "get pods -l app=web -o jsonpath={.items[*].spec.containers[0].env[0].value}", "blue blue");
}

}  // namespace
}  // namespace proa::node_tests
