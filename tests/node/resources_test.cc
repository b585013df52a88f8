// Resource limits of pods, as reported and enforced by the kernel's cgroups.

#include "cgroup_files.h"

namespace proa::node_tests {
namespace {

using testing::EndsWith;

class ResourcesTest : public CgroupFiles {
 protected:
  static Fields resources(const std::string& of_container) {
    return {.container = "resources: {" + of_container + "}"};
  }
};

TEST_F(ResourcesTest, BoundContainersAndTheirPod) {
  struct Case {
    std::string name;
    std::string resources;
    std::string quality;
    std::string memory;
    std::string quota;
    int shares;
    std::string place;  // the path of the pod's cgroup
  };
  const std::vector<Case> cases = {
      {"guaranteed", "limits: {cpu: 200m, memory: 32Mi}", "Guaranteed", "33554432", "20000", 204,
       "/kubepods/pod"},
      {"burstable", "requests: {cpu: 250m, memory: 1Mi}, limits: {memory: 64Mi, cpu: 1500m}",
       "Burstable", "67108864", "150000", 256, "/kubepods/burstable/pod"},
      {"asking", "requests: {cpu: 100m, memory: 8Mi}", "Burstable", kUnlimited, kUnlimited, 102,
       "/kubepods/burstable/pod"},
      {"best-effort", "", "BestEffort", kUnlimited, kUnlimited, 2, "/kubepods/besteffort/pod"},
  };
  for (const Case& c : cases) cluster_->apply(pod(c.name, "sleep 1000", resources(c.resources)));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(cluster_->wait(c.name));
    EXPECT_EQ(field(c.name, "status.qosClass"), c.quality);
    const std::string uid = field(c.name, "metadata.uid");
    EXPECT_THAT(cgroup(uid, "memory"), EndsWith(c.place + uid));
    for (const std::string& folder :
         {cgroup(uid, "memory"), cgroup_of_container(c.name, "memory")}) {
      EXPECT_EQ(memory_limit(folder), c.memory) << folder;
    }
    for (const std::string& folder : {cgroup(uid, "cpu"), cgroup_of_container(c.name, "cpu")}) {
      EXPECT_EQ(cpu_quota(folder), c.quota) << folder;
      expect_shares(folder, c.shares);
    }
    if (has_v2()) {
      const std::string container = cgroup_of_container(c.name, "memory");
      EXPECT_EQ(read(container + "/memory.oom.group"), "1") << container;
      EXPECT_EQ(read(container + "/memory.swap.max"), "0") << container;
    }
  }
}

TEST_F(ResourcesTest, AddUpForThePod) {
  const std::string bounds = "resources: {limits: {cpu: 100m, memory: 32Mi}}";
  cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: sum}, spec: {
terminationGracePeriodSeconds: 1, containers: [)" +
                  container("one", "sleep 1000", bounds) + "," +
                  container("two", "sleep 1000", bounds) + "]}}");
  ASSERT_TRUE(cluster_->wait("sum"));
  const std::string uid = field("sum", "metadata.uid");
  EXPECT_EQ(memory_limit(cgroup(uid, "memory")), "67108864");
  EXPECT_EQ(cpu_quota(cgroup(uid, "cpu")), "20000");
  expect_shares(cgroup(uid, "cpu"), 204);
  EXPECT_EQ(memory_limit(cgroup_of_container("sum", "memory")), "33554432");
  EXPECT_EQ(cpu_quota(cgroup_of_container("sum", "cpu")), "10000");
}

TEST_F(ResourcesTest, MayBeThoseOfThePodItself) {
  cluster_->apply(pod("whole", "sleep 1000",
                      {.spec = "resources: {requests: {cpu: 500m}, limits: {cpu: 700m, memory: "
                               "50Mi}}"}));
  ASSERT_TRUE(cluster_->wait("whole"));
  EXPECT_EQ(field("whole", "status.qosClass"), "Burstable");
  const std::string uid = field("whole", "metadata.uid");
  EXPECT_EQ(memory_limit(cgroup(uid, "memory")), "52428800");
  EXPECT_EQ(cpu_quota(cgroup(uid, "cpu")), "70000");
  expect_shares(cgroup(uid, "cpu"), 512);
}

TEST_F(ResourcesTest, AreSeenInsideTheContainer) {
  const std::string script = has_v2() ? "cat /sys/fs/cgroup/memory.max"
                                      : "cat /sys/fs/cgroup/memory/memory.limit_in_bytes; echo x > "
                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes || true";
  // Other output may come first.
  EXPECT_THAT(output_of("inside", script, resources("limits: {memory: 24Mi}")),
              testing::HasSubstr("25165824"));
}

TEST_F(ResourcesTest, KillWhoUsesMoreMemory) {
  cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: greedy}, spec: {
restartPolicy: Never, containers: [{name: main, image: 'busybox:1', command: [tail, /dev/zero],
resources: {limits: {memory: 16Mi}}}]}})");
  ASSERT_TRUE(becomes("greedy", "status.phase", "Failed"));
  const std::string state = "status.containerStatuses[0].state.terminated";
  EXPECT_EQ(field("greedy", state + ".reason"), "OOMKilled");
  EXPECT_EQ(field("greedy", state + ".exitCode"), "137");
}

// The default of upstream's kubelet, if the kernel supports it.
TEST_F(ResourcesTest, KillTheWholeContainerOnVersionTwo) {
  if (!has_v2()) GTEST_SKIP() << "cgroups of version 1 kill one process";
  cluster_->apply(pod("family", "tail /dev/zero; echo survived; sleep 1000",
                      resources("limits: {memory: 16Mi}")));
  ASSERT_TRUE(becomes("family", "status.phase", "Failed"));
  EXPECT_EQ(field("family", "status.containerStatuses[0].state.terminated.reason"), "OOMKilled");
  EXPECT_EQ(cluster_->ask("logs family"), "");
}

TEST_F(ResourcesTest, AreSharedByQualityOfService) {
  cluster_->ask("delete pods --all --now");
  ASSERT_TRUE(run("more", resources("requests: {cpu: 300m, memory: 8Mi}")));
  ASSERT_TRUE(run("less", resources("requests: {cpu: 200m, memory: 8Mi}")));
  const auto quality = [](const std::string& controller) {
    return cgroup(field("more", "metadata.uid"), controller) + "/..";
  };
  const std::string burstable = std::filesystem::canonical(quality("cpu"));
  const std::string all = std::filesystem::path(burstable).parent_path();
  EXPECT_THAT(burstable, EndsWith("/kubepods/burstable"));
  const std::string shares = has_v2() ? "/cpu.weight" : "/cpu.shares";
  const std::string sum = has_v2() ? "20" : "512";
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return read(burstable + shares) == sum; }));
  expect_shares(all + "/besteffort", 2);
  expect_shares(all, static_cast<int>(std::thread::hardware_concurrency()) * 1024);
  const std::string memory = std::filesystem::canonical(quality("memory"));
  EXPECT_EQ(memory_limit(memory), kUnlimited);
  const std::string capacity =
      cluster_->ask("get nodes -o 'jsonpath={.items[0].status.capacity.memory}'");
  EXPECT_EQ(std::to_string(std::stoll(memory_limit(memory + "/..")) / 1024) + "Ki", capacity);
}

TEST_F(ResourcesTest, AreGivenBackWithThePod) {
  ASSERT_TRUE(run("leaving", {}));
  const std::string uid = field("leaving", "metadata.uid");
  EXPECT_NE(cgroup(uid, "memory"), "");
  cluster_->ask("delete pod leaving");
  EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                    [&] { return cgroup(uid, "memory").empty(); }));
  EXPECT_EQ(cgroup(uid, "cpu"), "");
}

// The limits keep one pod from filling the node's disk.
TEST_F(ResourcesTest, EvictWhoFillsADiskBeyondItsLimit) {
  cluster_->apply(pod("filler", "dd if=/dev/zero of=/it/big bs=1M count=3; sleep 1000",
                      {.container = "volumeMounts: [{name: it, mountPath: /it}]",
                       .spec = "volumes: [{name: it, emptyDir: {sizeLimit: 1Mi}}]"}));
  ASSERT_TRUE(cluster_->eventually("get pod filler -o jsonpath='{.status.phase}'", "Failed", 60));
  EXPECT_EQ(field("filler", "status.reason"), "Evicted");
  EXPECT_EQ(field("filler", "status.message"),
            "Usage of EmptyDir volume \"it\" exceeds the limit \"1Mi\". ");
}

}  // namespace
}  // namespace proa::node_tests
