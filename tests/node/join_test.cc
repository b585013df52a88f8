// A second node on the same machine, with separate state, joins a cluster.

#include "cluster.h"

namespace proa::node_tests {
namespace {

class JoinTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no cluster: " << missing();
    if (Cluster::newest_kubectl().empty()) GTEST_SKIP() << "there is no kubectl";
    // The second node has a range of its own choice.
    cluster_ =
        std::make_unique<Cluster>(std::vector<std::string>{"--cluster-cidr", "10.127.0.0/16"});
  }
  void TearDown() override {
    if (cluster_ == nullptr) return;
    const e2e::Outcome removed = e2e::run_program("uninstall --yes --data-dir " + data_dir());
    EXPECT_EQ(removed.code, 0) << removed.text;
  }

  std::string data_dir() const { return folder_.path() + "/second"; }
  std::vector<std::string> words(const std::string& token) const {
    const std::string url = cluster_->ask("config view -o jsonpath={.clusters[0].cluster.server}");
    std::vector<std::string> words = {
        "node",        "--data-dir",   data_dir(),   "--server",        url,
        "--node-name", "second",       "--pod-cidr", "10.127.251.0/24", "--kubelet-port",
        port_,         "--proxy-mode", "none"};
    if (!token.empty()) words.insert(words.end(), {"--token", token});
    return words;
  }
  std::string make_token() const {
    std::string token = e2e::run_program("token create --data-dir " + cluster_->data_dir()).text;
    return token.substr(0, token.find('\n'));
  }

  const e2e::TemporaryFolder folder_;
  const std::string port_ = std::to_string(testkit::free_port());
  std::unique_ptr<Cluster> cluster_;
};

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: there}
spec:
  nodeName: second
  containers:
  - {name: hello, image: "proa/hello:1", resources: {limits: {cpu: 200m, memory: 64Mi}}}
)";

TEST_F(JoinTest, RunsPodsAndGoesOnAfterARestartWithoutAToken) {
  std::string id;
  {
    e2e::Process node(words(make_token()));
    ASSERT_TRUE(node.wait_for("Ready")) << node.said();
    cluster_->apply(kPod);
    ASSERT_TRUE(cluster_->wait("there"));
    id = cluster_->ask("get pod there -o jsonpath={.status.containerStatuses[0].containerID}");
    // Its address is the server's, too, so its serving certificate waits for approval; until then
    // its own one is recognized.
    const e2e::Outcome early = cluster_->kubectl("logs there");
    EXPECT_EQ(early.code, 0) << early.text;
    cluster_->ask("get csr -o name | xargs -n 1 basename | KUBECONFIG=" + cluster_->kubeconfig() +
                  " xargs " + Cluster::newest_kubectl() + " certificate approve");
    const std::string address = cluster_->ask("get pod there -o jsonpath={.status.podIP}");
    EXPECT_EQ(e2e::run_shell("curl -sS -m 5 http://" + address + ":8080/").text,
              "Hello from there, run by Proa.\n");
    const bool logged = testkit::holds_within(std::chrono::seconds(10), [&] {
      return cluster_->kubectl("logs there").text.find("GET / 200") != std::string::npos;
    });
    EXPECT_TRUE(logged) << cluster_->kubectl("logs there").text;
    EXPECT_EQ(cluster_->ask("get nodes second -o jsonpath={.metadata.labels}")
                  .find("node-role.kubernetes.io"),
              std::string::npos);
    EXPECT_EQ(cluster_->ask("get nodes -l node-role.kubernetes.io/control-plane -o name")
                  .find("node/second"),
              std::string::npos);
    EXPECT_NE(cluster_->ask("get nodes -l node-role.kubernetes.io/control-plane -o name"), "");
    const e2e::Outcome status = e2e::run_program("status --data-dir " + data_dir());
    EXPECT_EQ(status.code, 0) << status.text;
    for (const char* part : {"node           second ready", "pods           1 running",
                             "certificate    node client until"}) {
      EXPECT_NE(status.text.find(part), std::string::npos) << status.text;
    }
    EXPECT_EQ(node.stop(SIGTERM), 0) << node.said();
  }
  // After a restart it does what was requested meanwhile.
  const std::string less = R"({"cpu":"100m","memory":"32Mi"})";
  cluster_->ask(std::string("patch pod there --subresource resize -p '") +
                R"({"spec":{"containers":[{"name":"hello","resources":{"requests":)" + less +
                R"(,"limits":)" + less + "}}]}}'");
  e2e::Process node(words(""));
  ASSERT_TRUE(node.wait_for("Ready")) << node.said();
  EXPECT_TRUE(cluster_->eventually(
      "get pod there -o jsonpath={.status.containerStatuses[0].resources.limits}", less));
  EXPECT_EQ(cluster_->ask("get pod there -o jsonpath={.status.containerStatuses[0].containerID}"),
            id);
  cluster_->ask("delete pod there --grace-period=1");
}

// With an address of its own, as on another machine.
TEST_F(JoinTest, GetsItsServingCertificateAndLeavesTheCluster) {
  const std::string address = "10.127.252.7";
  if (e2e::run_shell("ip address add " + address + "/32 dev lo").code != 0) {
    GTEST_SKIP() << "no address can be added";
  }
  std::vector<std::string> wanted = words(make_token());
  wanted.insert(wanted.end(), {"--node-ip", address});
  e2e::Process node(wanted);
  EXPECT_TRUE(node.wait_for("Ready")) << node.said();
  EXPECT_TRUE(cluster_->eventually(
      "get csr -o 'jsonpath={.items[?(@.spec.signerName==\"kubernetes.io/kubelet-serving\")]"
      ".status.conditions[0].type}'",
      "Approved"));
  cluster_->apply(kPod);
  EXPECT_TRUE(cluster_->wait("there"));
  const e2e::Outcome logs = cluster_->kubectl("logs there");
  EXPECT_EQ(logs.code, 0) << logs.text;
  EXPECT_TRUE(cluster_->eventually(
      "get node second -o 'jsonpath={.metadata.annotations.proa\\.dev/kubelet-certificate}'",
      "authority"));
  const e2e::Outcome left = e2e::run_program("node leave --data-dir " + data_dir());
  EXPECT_EQ(left.code, 0) << left.text;
  EXPECT_EQ(cluster_->ask("get nodes -o name").find("node/second"), std::string::npos);
  EXPECT_EQ(cluster_->ask("get pods -o name"), "");
  EXPECT_FALSE(std::filesystem::exists(data_dir() + "/kubelet"));
  e2e::run_shell("ip address del " + address + "/32 dev lo");
}

// As seen from another machine: it has another machine ID.
TEST_F(JoinTest, DoesNotTakeTheNameOfAnotherMachine) {
  const std::string name = cluster_->ask("get nodes -o jsonpath={.items[0].metadata.name}");
  const std::string id = folder_.file("machine-id", std::string(32, 'f') + "\n");
  std::string line = "mount --bind " + id + " /etc/machine-id && exec " + e2e::program();
  for (std::string word : words(make_token())) line += " " + (word == "second" ? name : word);
  const e2e::Outcome refused = e2e::run_shell("unshare -m sh -c '" + line + "'");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("is node " + name + " of this cluster; choose another name"),
            std::string::npos)
      << refused.text;
  // It does not keep the certificate of that node.
  EXPECT_FALSE(std::filesystem::exists(data_dir() + "/kubelet/pki/kubelet-client-current.pem"));
}

TEST_F(JoinTest, SaysBeforeTheDrainThatItMayNotLeave) {
  e2e::Process node(words(make_token()));
  ASSERT_TRUE(node.wait_for("Ready")) << node.said();
  cluster_->ask("taint node second team=a:PreferNoSchedule");
  const e2e::Outcome refused = e2e::run_program("node leave --data-dir " + data_dir());
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.text.find("nothing was changed: pass --admin-kubeconfig"), std::string::npos)
      << refused.text;
  EXPECT_EQ(cluster_->ask("get node second -o jsonpath={.spec.unschedulable}"), "");
  const e2e::Outcome left = e2e::run_program("node leave --data-dir " + data_dir() +
                                             " --admin-kubeconfig " + cluster_->kubeconfig());
  EXPECT_EQ(left.code, 0) << left.text;
  EXPECT_EQ(cluster_->ask("get nodes -o name").find("node/second"), std::string::npos);
}

TEST_F(JoinTest, BelievesNobodyButTheAuthorityOfTheToken) {
  std::string token = make_token();
  token.back() = token.back() == '0' ? '1' : '0';
  e2e::Process node(words(token));
  EXPECT_FALSE(node.wait_for("Ready"));
  EXPECT_NE(node.stop(SIGTERM), 0) << node.said();
}

}  // namespace
}  // namespace proa::node_tests
