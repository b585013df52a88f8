// The packaged service under a real systemd, which also manages the machine's cgroups.

#include <fstream>

#include "cgroup_files.h"

namespace proa::node_tests {
namespace {

class SystemdTest : public CgroupFiles {
 protected:
  static void SetUpTestSuite() {}
  void SetUp() override {
    if (!std::filesystem::exists("/run/systemd/system")) GTEST_SKIP() << "no systemd here";
    if (!missing().empty()) GTEST_SKIP() << missing();
    if (Cluster::newest_kubectl().empty()) GTEST_SKIP() << "no kubectl";
    write_unit();
    systemctl("start " + name_);
  }
  void TearDown() override {
    if (!std::filesystem::exists(unit_)) return;
    e2e::run_shell("systemctl stop " + name_);
    const e2e::Outcome removed = e2e::run_program("uninstall --yes --data-dir " + data_dir_);
    EXPECT_EQ(removed.code, 0) << removed.text;
    std::filesystem::remove(unit_);
    systemctl("daemon-reload");
  }

  // As packaged, except for the program and its folder.
  void write_unit() const {
    std::ifstream packaged(tests_folder().parent_path() / "packaging/systemd/proa.service");
    std::ofstream unit(unit_);
    for (std::string line; std::getline(packaged, line);) {
      if (line.starts_with("StateDirectory")) continue;
      if (line.starts_with("ExecStart=")) {
        line = "ExecStart=" + e2e::program() + " up --listen 0.0.0.0:0 --data-dir " + data_dir_ +
               " --kubelet-port " + std::to_string(testkit::free_port()) +
               " --pod-cidr 10.127.5.0/24";
      }
      unit << line << "\n";
    }
    unit.close();
    systemctl("daemon-reload");
  }
  static void systemctl(const std::string& words) {
    const e2e::Outcome done = e2e::run_shell("systemctl " + words);
    EXPECT_EQ(done.code, 0) << words << "\n" << done.text;
  }
  std::string kubectl(const std::string& words) const {
    const e2e::Outcome done = e2e::run_shell("KUBECONFIG=" + data_dir_ + "/admin.kubeconfig " +
                                             Cluster::newest_kubectl() + " " + words);
    EXPECT_EQ(done.code, 0) << words << "\n"
                            << done.text << e2e::run_shell("journalctl -u " + name_).text;
    return done.text;
  }
  void run_hello() const {
    ASSERT_TRUE(testkit::holds_within(std::chrono::seconds(30), [&] {
      return kubectl("get serviceaccount default --ignore-not-found") != "";
    }));
    kubectl("create -f " + folder_.file("hello.yaml", R"(
{apiVersion: v1, kind: Pod, metadata: {name: hello}, spec: {containers: [{name: hello,
 image: 'proa/hello:1', resources: {requests: {cpu: 500m}, limits: {memory: 64Mi}}}]}})"));
    kubectl("wait --for=condition=Ready pod/hello" + Cluster::within(30));
  }
  std::string hello(const std::string& path) const {
    return kubectl("get pod hello -o jsonpath={." + path + "}");
  }

  const e2e::TemporaryFolder folder_;
  const std::string data_dir_ = folder_.path() + "/data";
  const std::string name_ = "proa-test-" + std::to_string(getpid());
  const std::string unit_ = "/run/systemd/system/" + name_ + ".service";
};

TEST_F(SystemdTest, PodsOutliveTheirService) {
  run_hello();
  const std::string id = hello("status.containerStatuses[0].containerID");
  const std::string processes =
      cgroup(hello("metadata.uid"), "cpu") + "/" + id.substr(id.rfind('/') + 1) + "/cgroup.procs";
  const std::string process = read(processes);
  EXPECT_NE(process, "") << processes;
  systemctl("restart " + name_);
  kubectl("wait --for=condition=Ready node --all" + Cluster::within(30));
  systemctl("stop " + name_);
  EXPECT_EQ(read(processes), process);
  systemctl("start " + name_);
  kubectl("wait --for=condition=Ready pod/hello" + Cluster::within(30));
  EXPECT_EQ(read(processes), process);
  EXPECT_EQ(hello("status.containerStatuses[0].containerID"), id);
  EXPECT_EQ(hello("status.containerStatuses[0].restartCount"), "0");
}

// systemd disables controllers in cgroups below its own if no unit needs them.
TEST_F(SystemdTest, PodsKeepTheirCgroupsWhenItsUnitsChange) {
  run_hello();
  const std::string pod = cgroup(hello("metadata.uid"), "cpu");
  const std::string memory = cgroup(hello("metadata.uid"), "memory");
  systemctl("set-property --runtime " + name_ + " CPUWeight=50 IOWeight=50");
  systemctl("set-property --runtime " + name_ + " CPUWeight= IOWeight=");
  systemctl("daemon-reload");
  systemctl("restart " + name_);
  expect_shares(pod, 512);
  EXPECT_EQ(memory_limit(memory), "67108864");
}

}  // namespace
}  // namespace proa::node_tests
