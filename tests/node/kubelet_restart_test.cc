// The process is stopped or killed, and restarted: pods keep running, and changes made meanwhile
// are applied.

#include "shared_cluster.h"

namespace proa::node_tests {
namespace {

constexpr const char* kStays = "trap 'exit 0' TERM; sleep 1000 & wait";

class KubeletRestartTest : public SharedCluster, public testing::WithParamInterface<int> {
 protected:
  static std::string name(const std::string& base) {
    return base + (GetParam() == SIGTERM ? "-term" : "-kill");
  }
  static void restart() {
    cluster_->stop(GetParam());
    cluster_->start();
  }
  // Everything that must not change.
  static std::string identity(const std::string& pod) {
    return field(pod, "status.podIP") + " " +
           field(pod, "status.containerStatuses[*].containerID") + " " +
           field(pod, "status.containerStatuses[*].restartCount") + " " +
           field(pod, "status.initContainerStatuses[*].containerID") + " " +
           field(pod, "status.startTime") + " " +
           field(pod, "status.conditions[*].lastTransitionTime");
  }
  static std::string id_of(const std::string& pod) {
    const std::string id = field(pod, "status.containerStatuses[0].containerID");
    return id.substr(id.rfind('/') + 1);
  }
  static void kill_task(const std::string& id) {
    const e2e::Outcome killed =
        e2e::run_shell("ctr -a " + cluster_->socket() + " -n k8s.io tasks kill -s SIGKILL " + id);
    EXPECT_EQ(killed.code, 0) << killed.text;
  }
};

TEST_P(KubeletRestartTest, LeavesPodsAsTheyAre) {
  const std::string pod_name = name("stays");
  cluster_->apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: " + pod_name +
      "}, spec: {terminationGracePeriodSeconds: 1, volumes: [{name: shared, emptyDir: {}}], "
      "initContainers: [" +
      container("init", "true") + ", " + container("side", kStays, "restartPolicy: Always") +
      "], containers: [" +
      container("again",
                "[ -e /shared/again ] || { touch /shared/again; exit 1; }; " + std::string(kStays),
                "volumeMounts: [{name: shared, mountPath: /shared}]") +
      ", " +
      container("probed", kStays,
                "readinessProbe: {exec: {command: ['true']}, periodSeconds: 1}, startupProbe: "
                "{exec: {command: ['true']}, periodSeconds: 1}") +
      "]}}");
  cluster_->apply(pod(name("done"), "echo done", {}));
  ASSERT_TRUE(becomes(pod_name, "status.containerStatuses[0].restartCount", "1"));
  ASSERT_TRUE(cluster_->wait(pod_name));
  ASSERT_TRUE(becomes(name("done"), "status.phase", "Succeeded"));
  // The next kubelet does not know younger containers, and starts their probes again.
  std::this_thread::sleep_for(std::chrono::seconds(11));
  const std::string before = identity(pod_name);
  const std::string before_done = identity(name("done"));
  const std::string since = cluster_->inside(pod_name, "date +%s; cat /proc/uptime", "probed");
  restart();
  // Long enough for a probe or other actions.
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_EQ(identity(pod_name), before);
  EXPECT_EQ(identity(name("done")), before_done);
  EXPECT_EQ(field(pod_name, "status.phase"), "Running");
  EXPECT_EQ(field(name("done"), "status.phase"), "Succeeded");
  EXPECT_EQ(cluster_->ask("logs " + name("done")), "done");
  // It is still managed.
  kill_task(id_of(pod_name));
  EXPECT_TRUE(becomes(pod_name, "status.containerStatuses[0].restartCount", "2"));
}

TEST_P(KubeletRestartTest, NoticesWhatEndedMeanwhile) {
  const std::string again = name("ended");
  const std::string once = name("once");
  const std::string lost = name("lost");
  for (const std::string& pod_name : {again, lost}) {
    cluster_->apply("{apiVersion: v1, kind: Pod, metadata: {name: " + pod_name +
                    "}, spec: {terminationGracePeriodSeconds: 1, containers: [" +
                    container("main", kStays) + "]}}");
  }
  cluster_->apply(pod(once, kStays, {}));
  for (const std::string& pod_name : {again, once, lost}) ASSERT_TRUE(cluster_->wait(pod_name));
  const std::string sandbox = cluster_
                                  ->containers("labels.\"io.kubernetes.pod.name\"==" + lost +
                                               ",labels.\"io.cri-containerd.kind\"==sandbox")
                                  .text;
  const std::vector<std::string> ids = {id_of(again), id_of(once),
                                        sandbox.substr(0, sandbox.find('\n'))};
  cluster_->stop(GetParam());
  for (const std::string& id : ids) kill_task(id);
  cluster_->start();
  EXPECT_TRUE(becomes(again, "status.containerStatuses[0].restartCount", "1"));
  EXPECT_EQ(field(again, "status.containerStatuses[0].lastState.terminated.exitCode"), "137");
  EXPECT_TRUE(becomes(once, "status.phase", "Failed"));
  EXPECT_EQ(field(once, "status.containerStatuses[0].state.terminated.exitCode"), "137");
  // Its sandbox is gone: it gets another one.
  EXPECT_TRUE(becomes(lost, "status.containerStatuses[0].restartCount", "1"));
  EXPECT_TRUE(cluster_->wait(lost));
  EXPECT_EQ(event(lost, "SandboxChanged"),
            "Pod sandbox changed, it will be killed and re-created.");
}

TEST_P(KubeletRestartTest, EndsWhatIsDeletedRightAfterwards) {
  const std::string pod_name = name("deleted");
  cluster_->apply(pod(pod_name, kStays, {}));
  ASSERT_TRUE(cluster_->wait(pod_name));
  const std::string uid = field(pod_name, "metadata.uid");
  restart();
  cluster_->ask("delete pod " + pod_name);
  const e2e::Outcome left = cluster_->containers("labels.\"io.kubernetes.pod.uid\"==" + uid);
  EXPECT_EQ(left.text, "");
}

// It was being stopped when the process was killed.
TEST_P(KubeletRestartTest, EndsWhatWasBeingDeleted) {
  const std::string pod_name = name("going");
  cluster_->apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: " + pod_name +
      "}, spec: {terminationGracePeriodSeconds: 4, containers: [{name: main, image: 'busybox:1', "
      "command: [sleep, '1000']}]}}");
  ASSERT_TRUE(cluster_->wait(pod_name));
  cluster_->ask("delete pod " + pod_name + " --wait=false");
  restart();
  EXPECT_TRUE(cluster_->eventually("get pod " + pod_name + " --ignore-not-found -o name", ""));
}

TEST_P(KubeletRestartTest, KnowsDeadlinesThatPassedMeanwhile) {
  const std::string pod_name = name("late");
  cluster_->apply(pod(pod_name, kStays, {.spec = "activeDeadlineSeconds: 4"}));
  ASSERT_TRUE(cluster_->wait(pod_name));
  cluster_->stop(GetParam());
  std::this_thread::sleep_for(std::chrono::seconds(3));
  cluster_->start();
  EXPECT_TRUE(becomes(pod_name, "status.reason", "DeadlineExceeded"));
  EXPECT_EQ(field(pod_name, "status.phase"), "Failed");
}

INSTANTIATE_TEST_SUITE_P(Signals, KubeletRestartTest, testing::Values(SIGTERM, SIGKILL),
                         [](const testing::TestParamInfo<int>& signal) {
                           return signal.param == SIGTERM ? "Term" : "Kill";
                         });

}  // namespace
}  // namespace proa::node_tests
