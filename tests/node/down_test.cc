// `proa down` stops pods as their deletion would, and `proa up` starts them again where they were.

#include <signal.h>

#include <fstream>

#include "shared_cluster.h"
#include "tests/lab/lab.h"

namespace proa::node_tests {
namespace {

using testing::HasSubstr;

class DownTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << missing();
    if (Cluster::newest_kubectl().empty()) GTEST_SKIP() << "no kubectl";
    // The machine's own rules are left alone.
    if (!lab_tests::enter_own_host()) GTEST_SKIP() << "network namespaces are not permitted";
    cluster_ = std::make_unique<Cluster>(std::vector<std::string>{"--network-policy", "nftables"});
    cluster_->eventually("get serviceaccount default -o name", "serviceaccount/default");
  }

  // A pod that needs longer than `down` once gave: its handler and its exit take some seconds.
  void start_pod() {
    cluster_->apply(R"({apiVersion: v1, kind: Pod, metadata: {name: slow}, spec: {
terminationGracePeriodSeconds: 60, volumes: [{name: out, hostPath: {path: )" +
                    outside_.path() + R"(}}], containers: [{name: main, image: 'busybox:1',
volumeMounts: [{name: out, mountPath: /out}],
lifecycle: {preStop: {exec: {command: [sh, -c, 'sleep 2; echo handler >> /out/said']}}},
command: [sh, -c, 'trap "sleep 12; echo exit >> /out/said; exit 3" TERM; echo run; sleep 1000 & wait'
]}]}})");
    ASSERT_TRUE(cluster_->wait("slow"));
  }
  std::string down(const std::string& flags = "") const {
    const e2e::Outcome outcome =
        e2e::run_program("down" + flags + " --data-dir " + cluster_->data_dir());
    EXPECT_EQ(outcome.code, 0) << outcome.text;
    return outcome.text;
  }
  std::string said() const { return e2e::run_shell("cat " + outside_.path() + "/said").text; }
  std::string field(const std::string& path) const {
    return cluster_->ask("get pod slow -o jsonpath='{.status.containerStatuses[0]." + path + "}'");
  }
  // The names of links to logs of the pod.
  static std::string links() {
    return e2e::run_shell("ls /var/log/containers 2>/dev/null | grep '^slow_default_main-'").text;
  }

  // The rules of NetworkPolicies of this node.
  std::string policy_tables() const {
    const std::string socket = cluster_->socket();
    const std::string name = socket.substr(5, socket.rfind('/') - 5);
    return e2e::run_shell("nft list tables | grep -c ' proa-policy-" + name + "$'").text;
  }

  const e2e::TemporaryFolder outside_;
  std::unique_ptr<Cluster> cluster_;
};

TEST_F(DownTest, GivesPodsTheirGraceAndKeepsWhatTheyWere) {
  start_pod();
  EXPECT_EQ(policy_tables(), "2\n");
  EXPECT_THAT(down(), HasSubstr("1 pod stopped"));
  EXPECT_EQ(said(), "handler\nexit\n");
  EXPECT_EQ(policy_tables(), "0\n");
  cluster_->start();
  ASSERT_TRUE(cluster_->eventually(
      "get pod slow -o jsonpath='{.status.containerStatuses[0].restartCount}'", "1"));
  ASSERT_TRUE(cluster_->wait("slow"));
  EXPECT_EQ(field("lastState.terminated.exitCode"), "3");
  EXPECT_EQ(cluster_->ask("logs slow --previous"), "run");
  EXPECT_EQ(cluster_->ask("logs slow"), "run");
}

TEST_F(DownTest, RunsHandlersThoughNoKubeletRuns) {
  start_pod();
  cluster_->stop(SIGKILL);
  EXPECT_THAT(down(), HasSubstr("1 pod stopped"));
  EXPECT_EQ(said(), "handler\nexit\n");
}

TEST_F(DownTest, GivesNoMoreGraceThanItIsTold) {
  start_pod();
  const auto begin = std::chrono::steady_clock::now();
  down(" --grace 4s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, testkit::patient(std::chrono::seconds(12)));
  EXPECT_EQ(said(), "handler\n");
}

TEST_F(DownTest, CollectorsFindLogsUntilThePodIsGone) {
  start_pod();
  const std::string link = links();
  ASSERT_NE(link, "");
  const std::string name = link.substr(0, link.find('\n'));
  EXPECT_THAT(e2e::run_shell("cat /var/log/containers/" + name).text, HasSubstr(" stdout F run"));
  const std::string target = e2e::run_shell("readlink -f /var/log/containers/" + name).text;
  EXPECT_THAT(target, testing::StartsWith("/var/log/pods/default_slow_"));
  const std::string uid = cluster_->ask("get pod slow -o jsonpath={.metadata.uid}");
  cluster_.reset();
  EXPECT_EQ(links(), "");
  EXPECT_EQ(e2e::run_shell("ls /var/log/pods 2>/dev/null | grep " + uid).text, "");
}

}  // namespace
}  // namespace proa::node_tests
