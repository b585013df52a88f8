// Present, missing and invalid images; runtime classes.

#include "given.h"
#include "registry.h"

namespace proa::node_tests {
namespace {

using ImagesTest = GivenTest;
using testing::HasSubstr;
using testing::StartsWith;

// An unused port: a registry that does not respond.
constexpr const char* kNowhere = "127.0.0.1:1/busybox:1";
const std::string kWaiting = "status.containerStatuses[0].state.waiting.";

std::string with_image(const std::string& name, const std::string& image,
                       const std::string& policy) {
  return Given::with_spec(
      name, "terminationGracePeriodSeconds: 1, containers: [{name: main, image: '" + image +
                "', imagePullPolicy: " + policy + ", command: [sleep, '1000']}]");
}

const Given kNever(with_image("never", "missing:1", "Never"));
TEST_F(ImagesTest, NeverDoesNotPull) {
  ASSERT_TRUE(becomes("never", kWaiting + "reason", "ErrImageNeverPull"));
  const std::string message =
      "Container image \"missing:1\" is not present with pull policy of Never";
  EXPECT_EQ(field("never", kWaiting + "message"), message);
  EXPECT_EQ(field("never", "status.phase"), "Pending");
  EXPECT_TRUE(hears("never", "Warning ErrImageNeverPull " + message));
  EXPECT_TRUE(hears("never", "Warning Failed Error: ErrImageNeverPull"));
}

TEST_F(ImagesTest, NeverStartsOnceTheImageIsThere) {
  cluster_->import_busybox("docker.io/library/missing:1");
  EXPECT_TRUE(cluster_->wait("never"));
}

const Given kNeverVolume(Given::with_spec(
    "never-volume",
    "terminationGracePeriodSeconds: 1, volumes: [{name: data, image: {reference: 'absent:1', "
    "pullPolicy: Never}}], containers: [{name: main, image: 'busybox:1', command: [sleep, '1000'], "
    "volumeMounts: [{name: data, mountPath: /data}]}]"));
TEST_F(ImagesTest, OfVolumesKeepTheirContainersWaiting) {
  ASSERT_TRUE(becomes("never-volume", kWaiting + "reason", "ErrImageNeverPull"));
  const std::string message =
      "Container image \"absent:1\" is not present with pull policy of Never";
  EXPECT_EQ(field("never-volume", kWaiting + "message"), message);
  EXPECT_TRUE(hears("never-volume", "Warning ErrImageNeverPull " + message));
  EXPECT_TRUE(hears("never-volume", "Warning Failed Error: ErrImageNeverPull"));
}

const Given kMissing(with_image("missing", "127.0.0.1:1/none:1", "IfNotPresent"));
TEST_F(ImagesTest, WhatIsNotThereIsPulledAgainAndAgain) {
  ASSERT_TRUE(becomes("missing", kWaiting + "reason", "ImagePullBackOff"));
  EXPECT_THAT(field("missing", kWaiting + "message"),
              StartsWith("Back-off pulling image \"127.0.0.1:1/none:1\": ErrImagePull: "));
  EXPECT_TRUE(hears("missing", "Normal Pulling Pulling image \"127.0.0.1:1/none:1\""));
  EXPECT_TRUE(hears("missing", "Warning Failed Failed to pull image \"127.0.0.1:1/none:1\": "));
  EXPECT_TRUE(hears("missing", "Warning Failed Error: ErrImagePull"));
  EXPECT_TRUE(hears("missing", "Normal BackOff Back-off pulling image \"127.0.0.1:1/none:1\""));
  EXPECT_TRUE(hears("missing", "Warning Failed Error: ImagePullBackOff"));
  EXPECT_EQ(field("missing", "status.phase"), "Pending");
  EXPECT_EQ(field("missing", "status.containerStatuses[0].image"), "127.0.0.1:1/none:1");
}

TEST_F(ImagesTest, AlwaysAsksTheRegistryThoughTheImageIsThere) {
  cluster_->import_busybox(kNowhere);
  cluster_->apply(with_image("present", kNowhere, "IfNotPresent"));
  cluster_->apply(with_image("always", kNowhere, "Always"));
  ASSERT_TRUE(cluster_->wait("present"));
  EXPECT_TRUE(hears("present",
                    "Normal Pulled Container image \"127.0.0.1:1/busybox:1\" already present on "
                    "machine and can be accessed by the pod"));
  EXPECT_TRUE(hears("always", "Warning Failed Error: ErrImagePull"));
  EXPECT_EQ(field("always", "status.phase"), "Pending");
}

// An image pulled with one pod's secret is not available to other pods, although it is on the node,
// also after restarts of the kubelet.
TEST_F(ImagesTest, WhatNeedsASecretIsPulledWithIt) {
  const Registry registry(*cluster_);
  cluster_->ask("create secret docker-registry reading --docker-username=reader " +
                ("--docker-password=secret --docker-server=" + registry.address()));
  const auto pod = [&](const std::string& name, const std::string& spec) {
    return Given::with_spec(name, spec +
                                      "terminationGracePeriodSeconds: 1, containers: [{name: main, "
                                      "image: '" +
                                      registry.image() +
                                      "', imagePullPolicy: IfNotPresent, command: [sleep, "
                                      "'1000']}]");
  };
  cluster_->apply(pod("stranger", ""));
  ASSERT_TRUE(hears("stranger", "Warning Failed Error: ErrImagePull"));
  EXPECT_GT(registry.refused(), 0);
  cluster_->apply(pod("reader", "imagePullSecrets: [{name: reading}], "));
  ASSERT_TRUE(cluster_->wait("reader"));
  EXPECT_EQ(cluster_->inside("reader", "id -u"), "1234");
  EXPECT_TRUE(hears("reader", "Normal Pulled Successfully pulled image \"" + registry.image()));
  cluster_->stop(SIGKILL);
  cluster_->start();
  cluster_->apply(pod("late-stranger", ""));
  ASSERT_TRUE(hears("late-stranger", "Warning Failed Error: ErrImagePull"));
  EXPECT_EQ(field("late-stranger", "status.phase"), "Pending");
  cluster_->apply(pod("late-reader", "imagePullSecrets: [{name: reading}], "));
  EXPECT_TRUE(cluster_->wait("late-reader"));
}

const Given kInvalid(with_image("invalid", "Not/A/Name:1", "IfNotPresent"));
TEST_F(ImagesTest, WhatIsNoNameOfAnImageIsRefused) {
  ASSERT_TRUE(becomes("invalid", kWaiting + "reason", "InvalidImageName"));
  const std::string message =
      "Failed to apply default image tag \"Not/A/Name:1\": couldn't parse image name "
      "\"Not/A/Name:1\": invalid reference format: repository name (A/Name) must be "
      "lowercase";
  EXPECT_EQ(field("invalid", kWaiting + "message"), message);
  EXPECT_TRUE(hears("invalid", "Warning InspectFailed " + message));
}

const Given kChanged(with_image("changed", "busybox:1", "IfNotPresent"));
TEST_F(ImagesTest, AnotherImageRestartsTheContainer) {
  ASSERT_TRUE(cluster_->wait("changed"));
  cluster_->import_busybox("docker.io/library/busybox:2");
  cluster_->ask("set image pod/changed main=busybox:2");
  ASSERT_TRUE(
      becomes("changed", "status.containerStatuses[0].image", "docker.io/library/busybox:2"));
  EXPECT_EQ(field("changed", "status.containerStatuses[0].restartCount"), "1");
  EXPECT_TRUE(
      hears("changed", "Normal Killing Container main definition changed, will be restarted"));
  EXPECT_TRUE(becomes("changed", "status.observedGeneration", "2"));
}

const Given kClasses(R"(
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: heavy}
handler: runc
overhead: {podFixed: {memory: 16Mi, cpu: 10m}}
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: unknown-handler}
handler: nobody
)");
TEST_F(ImagesTest, AClassOfARuntimeMayCostSomething) {
  cluster_->apply(Given::with_spec(
      "heavy",
      "runtimeClassName: heavy, terminationGracePeriodSeconds: 1, containers: [{name: "
      "main, image: 'busybox:1', command: [sleep, '1000'], resources: {limits: {memory: "
      "32Mi, cpu: 100m}}}]"));
  ASSERT_TRUE(cluster_->wait("heavy"));
  EXPECT_EQ(field("heavy", "spec.overhead.memory"), "16Mi");
  const std::string uid = field("heavy", "metadata.uid");
  const std::string bound =
      e2e::run_shell("cat $(find /sys/fs/cgroup -type d -name pod" + uid +
                     " | grep -v -e cpuset | head -n 20 | sed 's:$:/memory.max:;p;s:max$:"
                     "limit_in_bytes:') 2>/dev/null")
          .text;
  EXPECT_EQ(bound, std::to_string(48 * 1024 * 1024) + "\n");
}

// crun does not support hybrid cgroups; tests/node/runtimes hides one of the two.
bool crun_runs_here() {
  const bool mixed = e2e::run_shell("stat -f -c %T /sys/fs/cgroup/unified").text == "cgroup2fs\n";
  return !mixed && e2e::run_shell("command -v crun").code == 0;
}

TEST_F(ImagesTest, AClassMayNameAnotherRuntime) {
  if (!crun_runs_here()) GTEST_SKIP() << "crun is not installed, or not for this kind of cgroups";
  cluster_->apply(
      "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: by-crun}, handler: crun}");
  cluster_->apply(Given::with_spec(
      "by-crun",
      "runtimeClassName: by-crun, terminationGracePeriodSeconds: 1, containers: [{name: "
      "main, image: 'busybox:1', command: [sleep, '1000']}]"));
  ASSERT_TRUE(cluster_->wait("by-crun"));
  const std::string id = field("by-crun", "status.containerStatuses[0].containerID");
  // The state of its containers.
  const std::string folder = std::filesystem::path(cluster_->socket()).parent_path().string() +
                             "/containerd/crun/k8s.io/" + id.substr(id.rfind('/') + 1);
  EXPECT_TRUE(std::filesystem::exists(folder)) << folder;
}

TEST_F(ImagesTest, AClassWhoseRuntimeIsNotThereIsToldSo) {
  cluster_->apply(Given::with_spec("handler",
                                   "runtimeClassName: unknown-handler, containers: [{name: main, "
                                   "image: 'busybox:1', command: [sleep, '1000']}]"));
  EXPECT_TRUE(hears("handler", "Warning FailedCreatePodSandBox Failed to create pod sandbox: "));
  EXPECT_TRUE(hears("handler", "no runtime for \"nobody\" is configured"));
  EXPECT_EQ(field("handler", "status.phase"), "Pending");
  EXPECT_EQ(field("handler", "status.conditions[?(@.type==\"PodReadyToStartContainers\")].status"),
            "False");
}

TEST_F(ImagesTest, AClassThatIsNotThereIsRefusedAtTheDoor) {
  const e2e::Outcome refused = cluster_->kubectl(
      "create -f -", Given::with_spec("classless",
                                      "runtimeClassName: none, containers: [{name: "
                                      "main, image: 'busybox:1'}]"));
  EXPECT_NE(refused.code, 0);
  EXPECT_THAT(refused.text, HasSubstr("RuntimeClass \"none\" not found"));
}

}  // namespace
}  // namespace proa::node_tests
