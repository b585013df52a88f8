// Resizing running pods: the API's state, and what the kernel enforces.

#include "cgroup_files.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;

constexpr const char* kStays = "trap 'exit 0' TERM; sleep 1000 & wait";

class ResizeTest : public CgroupFiles {
 protected:
  // Leftover pods would take room from the next test.
  void TearDown() override {
    if (cluster_ != nullptr) cluster_->ask("delete pods --all --now");
  }

  static std::string amounts(const std::string& cpu, const std::string& memory) {
    return "{cpu: " + cpu + ", memory: " + memory + "}";
  }
  // Requests and limits are equal.
  static std::string resources(const std::string& cpu, const std::string& memory) {
    return "resources: {requests: " + amounts(cpu, memory) + ", limits: " + amounts(cpu, memory) +
           "}";
  }
  static void start(const std::string& name, const std::string& containers) {
    cluster_->apply("{apiVersion: v1, kind: Pod, metadata: {name: " + name +
                    "}, spec: {terminationGracePeriodSeconds: 1, containers: [" + containers +
                    "]}}");
    ASSERT_TRUE(cluster_->wait(name));
  }
  // Of the container "main", as JSON: requests and limits.
  static void resize(const std::string& name, const std::string& cpu, const std::string& memory) {
    const std::string all = R"({"cpu":")" + cpu + R"(","memory":")" + memory + R"("})";
    patch(name, R"({"requests":)" + all + R"(,"limits":)" + all + "}");
  }
  static void patch(const std::string& name, const std::string& resources) {
    cluster_->ask("patch pod " + name + " --subresource resize -p '" +
                  R"({"spec":{"containers":[{"name":"main","resources":)" + resources + "}]}}'");
  }
  static std::string of_main(const std::string& path) {
    return "status.containerStatuses[?(@.name==\"main\")]." + path;
  }
  static std::string condition(const std::string& type, const std::string& field) {
    return "status.conditions[?(@.type==\"" + type + "\")]." + field;
  }
  // Checks that the container and its pod have these limits, and that no resize is pending.
  static void expect_held_to(const std::string& name, const std::string& quota,
                             const std::string& memory, int shares) {
    EXPECT_TRUE(becomes(name, condition("PodResizeInProgress", "status"), ""));
    const std::string uid = field(name, "metadata.uid");
    for (const std::string& folder : {cgroup(uid, "cpu"), cgroup_of_container(name, "cpu")}) {
      EXPECT_EQ(cpu_quota(folder), quota) << folder;
      expect_shares(folder, shares);
    }
    for (const std::string& folder : {cgroup(uid, "memory"), cgroup_of_container(name, "memory")}) {
      EXPECT_EQ(memory_limit(folder), memory) << folder;
    }
  }
  // The millicores that a pod may request so that this much of the node is left.
  static int free_cpus() {
    const std::string text =
        cluster_->ask("get nodes -o jsonpath='{.items[0].status.allocatable.cpu}'");
    return text.ends_with('m') ? std::stoi(text) : std::stoi(text) * 1000;
  }
  // Takes all but 300m.
  static void start_blocker(const std::string& name) {
    start(name,
          container("main", kStays,
                    "resources: {requests: {cpu: " + std::to_string(free_cpus() - 300) + "m}}"));
  }
};

TEST_F(ResizeTest, ChangesWhatRunsWithoutARestart) {
  start("sized", container("main", kStays, resources("100m", "32Mi")));
  const std::string id = field("sized", of_main("containerID"));
  expect_held_to("sized", "10000", "33554432", 102);

  resize("sized", "200m", "64Mi");
  ASSERT_TRUE(becomes("sized", of_main("resources.limits.cpu"), "200m"));
  expect_held_to("sized", "20000", "67108864", 204);
  EXPECT_EQ(
      field("sized", of_main("resources")),
      R"({"limits":{"cpu":"200m","memory":"64Mi"},"requests":{"cpu":"200m","memory":"64Mi"}})");
  EXPECT_EQ(field("sized", of_main("allocatedResources")), R"({"cpu":"200m","memory":"64Mi"})");
  EXPECT_THAT(
      event("sized", "ResizeStarted"),
      HasSubstr(R"(Pod resize started: {"containers":[{"name":"main","resources":{"limits":)"
                R"({"cpu":"200m","memory":"64Mi"},"requests":{"cpu":"200m","memory":"64Mi"}}}],)"
                R"("generation":2})"));
  EXPECT_THAT(event("sized", "ResizeCompleted"), HasSubstr("Pod resize completed: {"));

  // One resource grows while the other shrinks.
  resize("sized", "50m", "96Mi");
  ASSERT_TRUE(becomes("sized", of_main("resources.limits.cpu"), "50m"));
  expect_held_to("sized", "5000", "100663296", 51);
  resize("sized", "150m", "48Mi");
  ASSERT_TRUE(becomes("sized", of_main("resources.limits.cpu"), "150m"));
  expect_held_to("sized", "15000", "50331648", 153);

  EXPECT_EQ(field("sized", of_main("containerID")), id);
  EXPECT_EQ(field("sized", of_main("restartCount")), "0");
  EXPECT_EQ(field("sized", "status.observedGeneration"), "4");
}

TEST_F(ResizeTest, BeginsAnewWhereThePolicySaysSo) {
  start("anew", container("main", kStays,
                          resources("100m", "32Mi") +
                              ", resizePolicy: [{resourceName: memory, restartPolicy: "
                              "RestartContainer}]"));
  resize("anew", "200m", "32Mi");
  ASSERT_TRUE(becomes("anew", of_main("resources.limits.cpu"), "200m"));
  EXPECT_EQ(field("anew", of_main("restartCount")), "0") << "processors need no restart";
  // The second restart is as fast as the first: there is no back-off, as no container failed. The
  // pod's limit may shrink only after its old container has exited.
  for (const int count : {1, 2}) {
    const std::string memory = std::to_string(32 - count * 4) + "Mi";
    resize("anew", std::to_string(200 - count * 50) + "m", memory);
    ASSERT_TRUE(becomes("anew", of_main("restartCount"), std::to_string(count)));
    ASSERT_TRUE(becomes("anew", of_main("resources.limits.memory"), memory));
    ASSERT_TRUE(cluster_->wait("anew", "condition=Ready", 5));
  }
  expect_held_to("anew", "10000", "25165824", 102);
  EXPECT_THAT(event("anew", "Killing"), HasSubstr("Container main resize requires restart"));
}

TEST_F(ResizeTest, WaitsUntilThereIsRoom) {
  start_blocker("blocker");
  start("waiting", container("main", kStays, resources("100m", "32Mi")));
  resize("waiting", "500m", "32Mi");
  ASSERT_TRUE(becomes("waiting", condition("PodResizePending", "reason"), "Deferred"));
  EXPECT_THAT(field("waiting", condition("PodResizePending", "message")),
              HasSubstr("Node didn't have enough resource: cpu, requested: 500, used: "));
  EXPECT_EQ(field("waiting", condition("PodResizePending", "observedGeneration")), "2");
  EXPECT_THAT(event("waiting", "ResizeDeferred"), HasSubstr("Pod resize OutOfcpu: {"));
  EXPECT_EQ(field("waiting", of_main("allocatedResources.cpu")), "100m");
  expect_held_to("waiting", "10000", "33554432", 102);

  // After a restart it knows that the request was not granted.
  cluster_->stop(SIGKILL);
  cluster_->start();
  ASSERT_TRUE(cluster_->wait("waiting"));
  EXPECT_EQ(field("waiting", condition("PodResizePending", "reason")), "Deferred");
  EXPECT_EQ(field("waiting", of_main("allocatedResources.cpu")), "100m");
  expect_held_to("waiting", "10000", "33554432", 102);

  cluster_->ask("delete pod blocker");
  ASSERT_TRUE(becomes("waiting", of_main("resources.limits.cpu"), "500m"));
  expect_held_to("waiting", "50000", "33554432", 512);
  EXPECT_EQ(field("waiting", condition("PodResizePending", "status")), "");
  EXPECT_EQ(field("waiting", of_main("restartCount")), "0");
}

TEST_F(ResizeTest, IsCalledOffByAskingForWhatThereIs) {
  start_blocker("in-the-way");
  start("undecided", container("main", kStays, resources("100m", "32Mi")));
  resize("undecided", "500m", "32Mi");
  ASSERT_TRUE(becomes("undecided", condition("PodResizePending", "reason"), "Deferred"));
  resize("undecided", "100m", "32Mi");
  EXPECT_TRUE(becomes("undecided", condition("PodResizePending", "status"), ""));
  expect_held_to("undecided", "10000", "33554432", 102);
}

TEST_F(ResizeTest, NeverTakesMemoryThatIsInUse) {
  start("full",
        container("main", "dd if=/dev/zero of=/dev/shm/x bs=1M count=30; " + std::string(kStays),
                  "readinessProbe: {exec: {command: [sh, -c, '[ $(stat -c %s /dev/shm/x) "
                  "-ge 31457280 ]']}, periodSeconds: 1}, " +
                      resources("100m", "64Mi")));
  resize("full", "100m", "16Mi");
  ASSERT_TRUE(becomes("full", condition("PodResizeInProgress", "reason"), "Error"));
  EXPECT_THAT(field("full", condition("PodResizeInProgress", "message")),
              HasSubstr("cannot decrease memory limits: [attempting to set pod memory limit "
                        "(16777216) below current usage ("));
  EXPECT_THAT(event("full", "ResizeError"), HasSubstr("Pod resize error: {"));
  EXPECT_EQ(field("full", of_main("allocatedResources.memory")), "16Mi");
  EXPECT_EQ(field("full", of_main("resources.limits.memory")), "64Mi");
  EXPECT_EQ(memory_limit(cgroup_of_container("full", "memory")), "67108864");

  cluster_->inside("full", "rm /dev/shm/x");
  ASSERT_TRUE(becomes("full", of_main("resources.limits.memory"), "16Mi"));
  expect_held_to("full", "10000", "16777216", 102);
  EXPECT_EQ(field("full", of_main("restartCount")), "0");
}

TEST_F(ResizeTest, CountsAllContainersOfAPod) {
  start("several", container("main", kStays, resources("200m", "32Mi")) + "," +
                       container("other", kStays, resources("100m", "32Mi")));
  const std::string pod = cgroup(field("several", "metadata.uid"), "cpu");
  EXPECT_EQ(cpu_quota(pod), "30000");
  resize("several", "50m", "32Mi");
  ASSERT_TRUE(becomes("several", of_main("resources.limits.cpu"), "50m"));
  EXPECT_TRUE(becomes("several", condition("PodResizeInProgress", "status"), ""));
  EXPECT_EQ(cpu_quota(pod), "15000");
  EXPECT_EQ(cpu_quota(cgroup_of_container("several", "cpu")), "5000");
}

TEST_F(ResizeTest, MayBeOfThePodItself) {
  cluster_->apply(pod("whole", kStays,
                      {.spec = "resources: {requests: {cpu: 200m}, limits: {cpu: 400m, memory: "
                               "64Mi}}"}));
  ASSERT_TRUE(cluster_->wait("whole"));
  cluster_->ask(
      R"(patch pod whole --subresource resize -p '{"spec":{"resources":{"requests":{"cpu":"100m","memory":)"
      R"("32Mi"},"limits":{"cpu":"300m","memory":"32Mi"}}}}')");
  ASSERT_TRUE(becomes("whole", "status.resources.limits.cpu", "300m"));
  EXPECT_TRUE(becomes("whole", condition("PodResizeInProgress", "status"), ""));
  const std::string uid = field("whole", "metadata.uid");
  for (const std::string& folder : {cgroup(uid, "cpu"), cgroup_of_container("whole", "cpu")}) {
    EXPECT_EQ(cpu_quota(folder), "30000") << folder;
  }
  expect_shares(cgroup(uid, "cpu"), 102);
  EXPECT_EQ(memory_limit(cgroup(uid, "memory")), "33554432");
  EXPECT_EQ(field("whole", "status.allocatedResources.cpu"), "100m");
}

}  // namespace
}  // namespace proa::node_tests
