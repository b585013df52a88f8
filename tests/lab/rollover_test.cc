// Clients of a Service do not notice that its pods are replaced: a hundred connections a second,
// none of them refused, reset or silent. For 20 seconds, or PROA_ROLLOVER_SECONDS.

#include <cstdlib>
#include <thread>

#include "lab.h"

namespace proa::lab_tests {
namespace {

using std::chrono::steady_clock;

constexpr int kPerSecond = 100;

int test_seconds() {
  const char* wanted = std::getenv("PROA_ROLLOVER_SECONDS");
  return wanted == nullptr ? 20 : std::atoi(wanted);
}

// Pods that serve until their grace period ends: the first process of a container ignores SIGTERM.
std::string deployment(const std::string& name, int replicas) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: " + name +
         "}}\n  strategy: {rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}\n" +
         "  template:\n    metadata: {labels: {app: " + name +
         "}}\n    spec:\n      terminationGracePeriodSeconds: 4\n      containers:\n"
         "      - name: c\n        image: " +
         node_tests::Cluster::kBusybox +
         "\n        command: [lab_peer, serve, '8080']\n"
         "        readinessProbe: {tcpSocket: {port: 8080}, periodSeconds: 1}\n";
}

std::string service(const std::string& name) {
  return "apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
         "}\nspec: {selector: {app: " + name + "}, ports: [{port: 80, targetPort: 8080}]}\n";
}

std::string client_pod(const std::string& name, const std::string& node) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n  nodeName: " + node +
         "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
         node_tests::Cluster::kBusybox + "\n    command: [lab_peer, serve, '9000']\n";
}

class RolloverTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    const std::string peer =
        (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lab_peer").string();
    lab_ = std::make_unique<TestLab>(own_name("rollover"), folder_.path(),
                                     std::string("--nodes 2 -- --proxy-mode ") + GetParam());
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const char* node : {"node-1", "node-2"}) {
      lab_->inside(node, "env ADD=" + peer + " " +
                             (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
    for (const char* name : {"many", "one"}) {
      lab_->apply(deployment(name, std::string_view(name) == "one" ? 1 : 3));
      lab_->apply(service(name));
    }
    lab_->apply(client_pod("client-1", "node-1"));
    lab_->apply(client_pod("client-2", "node-2"));
    for (const char* object : {"pod/client-1", "pod/client-2"}) lab_->wait(object, "Ready");
    for (const char* object : {"deployment/many", "deployment/one"}) {
      lab_->wait(object, "Available");
    }
  }

  // What a client sees, in a thread of its own.
  std::jthread hold(const std::string& client, const std::string& name, std::string& said) const {
    const std::string address =
        lab_->ask("get service/" + name + " -o 'jsonpath={.spec.clusterIP}'");
    return std::jthread([this, client, address, &said] {
      said = lab_->ask("exec " + client + " -- lab_peer hold " + address + " 80 " +
                       std::to_string(kPerSecond) + " " + std::to_string(test_seconds()));
    });
  }

  LabFolder folder_;
  std::unique_ptr<TestLab> lab_;
};

TEST_P(RolloverTest, IsNotNoticed) {
  std::string many;
  std::string one;
  int rollouts = 0;
  int deletions = 0;
  const auto end = steady_clock::now() + std::chrono::seconds(test_seconds());
  {
    const std::jthread first = hold("client-1", "many", many);
    const std::jthread second = hold("client-2", "one", one);
    const std::jthread replacing([&] {
      // While its successor is not ready, the only one serves on.
      while (steady_clock::now() < end) {
        lab_->ask("delete pods -l app=one --wait=true");
        lab_->ask("wait deployment/one --for=condition=Available --timeout=60s");
        ++deletions;
      }
    });
    while (steady_clock::now() < end) {
      // What `rollout restart` does, but at most once a second.
      lab_->ask(
          "patch deployment/many -p '{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{"
          "\"turn\":\"" +
          std::to_string(rollouts) + "\"}}}}}'");
      lab_->ask("rollout status deployment/many --timeout=60s");
      ++rollouts;
    }
  }
  const std::string good = "answered " + std::to_string(kPerSecond * test_seconds()) + " failed 0";
  EXPECT_EQ(many, good);
  EXPECT_EQ(one, good);
  std::printf("%d rollouts of three pods, %d replacements of one\n", rollouts, deletions);
  lab_->down();
}

INSTANTIATE_TEST_SUITE_P(Kinds, RolloverTest, testing::Values("nftables", "iptables"),
                         [](const testing::TestParamInfo<const char*>& one) {
                           return std::string(one.param);
                         });

}  // namespace
}  // namespace proa::lab_tests
