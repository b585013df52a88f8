// Labs beside each other and beside `proa up`, and what they leave behind.

#include "lab.h"
#include "tests/e2e/server.h"

namespace proa::lab_tests {
namespace {

class LabIsolationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    if (!enter_own_host()) GTEST_SKIP() << "no network namespace can be made";
    before_ = traces(folder_.path());
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(traces(folder_.path()), before_);
  }

  const LabFolder folder_;
  std::string before_;
};

bool appears(const std::string& path) {
  return testkit::holds_within(std::chrono::seconds(10),
                               [&] { return std::filesystem::exists(path); });
}

TEST_F(LabIsolationTest, TwoLabsAndAClusterOfTheHostRunBesideEachOther) {
  auto cluster = std::make_unique<node_tests::Cluster>();
  const std::string with_cluster = traces(folder_.path());
  {
    TestLab one(own_name("one"), folder_.path(), "--nodes 2");
    ASSERT_EQ(one.up().code, 0) << one.up().text;
    TestLab two(own_name("two"), folder_.path(), "--nodes 2 --topology routed");
    ASSERT_EQ(two.up().code, 0) << two.up().text;
    for (const TestLab* lab : {&one, &two}) {
      EXPECT_EQ(lab->ask("get nodes -o name"), "node/node-1\nnode/node-2");
      lab->ask("create namespace of-" +
               lab->ask("get node node-2 -o jsonpath={.status.addresses[0].address} | tr . -"));
      EXPECT_TRUE(lab->reaches("node-1", "node-2"));
      EXPECT_TRUE(lab->reaches("client", "node-2"));
    }
    EXPECT_EQ(one.kubectl("get namespace of-172-30-0-12").code, 0);
    EXPECT_EQ(two.kubectl("get namespace of-172-30-2-12").code, 0);
    // Routed machines are in subnets of their own.
    EXPECT_NE(two.inside("node-1", "ip route get 172.30.2.12").find("via 172.30.1.1"),
              std::string::npos);
    ASSERT_EQ(two.run("cut", "node-1 node-2").code, 0);
    EXPECT_FALSE(two.reaches("node-1", "node-2"));
    EXPECT_TRUE(two.reaches("client", "node-2"));
    EXPECT_TRUE(one.reaches("node-1", "node-2"));
    ASSERT_EQ(two.run("slow", "node-1 node-2 --delay 20ms").code, 0);
    EXPECT_TRUE(two.reaches("node-1", "node-2"));
    EXPECT_EQ(two.run("heal", "node-1 node-2").code, 0);
    const e2e::Outcome nodes = e2e::run_shell("KUBECONFIG=" + cluster->kubeconfig() + " " +
                                              kubectl_program() + " get nodes -o name | wc -l");
    EXPECT_EQ(nodes.text, "1\n");
    const e2e::Outcome both = e2e::run_program("lab list --lab-dir " + folder_.path());
    EXPECT_EQ(both.text, own_name("one") + "\n" + own_name("two") + "\n");
    two.down();
    EXPECT_TRUE(one.reaches("node-1", "node-2"));
  }
  EXPECT_EQ(traces(folder_.path()), with_cluster);
  // Empty tables, which iptables makes, stay after a cluster of the host.
  cluster.reset();
  before_ = traces(folder_.path());
}

TEST_F(LabIsolationTest, LeavesNothingWhenItIsInterrupted) {
  const std::string name = own_name("gone");
  // While the switch, the first node and the others start.
  for (const char* seen : {"", "switch", "node-1"}) {
    SCOPED_TRACE(seen);
    e2e::Process up({"lab", "up", "--nodes", "3", "--name", name, "--lab-dir", folder_.path()});
    EXPECT_TRUE(*seen == 0 ? appears(folder_.path() + "/" + name) : up.wait_for(seen)) << up.said();
    EXPECT_EQ(up.stop(SIGINT), 1) << up.said();
    EXPECT_NE(up.said().find("nothing of it is left"), std::string::npos) << up.said();
    EXPECT_EQ(traces(folder_.path()), before_);
  }
}

TEST_F(LabIsolationTest, IsRemovedAfterItWasKilledWhileItStarted) {
  const std::string name = own_name("torn");
  e2e::Process up({"lab", "up", "--nodes", "2", "--name", name, "--lab-dir", folder_.path()});
  EXPECT_TRUE(up.wait_for("switch")) << up.said();
  up.stop(SIGKILL);
  const e2e::Outcome down =
      e2e::run_program("lab down --name " + name + " --lab-dir " + folder_.path());
  EXPECT_EQ(down.code, 0) << down.text;
}

TEST_F(LabIsolationTest, SaysWhyANodeDoesNotStart) {
  const e2e::Outcome up =
      e2e::run_program("lab up --nodes 1 --name " + own_name("bad") + " --lab-dir " +
                       folder_.path() + " -- --service-cluster-ip-range 1.2.3.4/33");
  EXPECT_EQ(up.code, 1);
  EXPECT_NE(up.text.find("--service-cluster-ip-range"), std::string::npos) << up.text;
}

}  // namespace
}  // namespace proa::lab_tests
