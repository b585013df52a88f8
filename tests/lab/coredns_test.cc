// `--dns none`: the user's own CoreDNS resolves names for pods of all nodes, and nodes do not
// answer.

#include <fstream>
#include <sstream>

#include "lab.h"

namespace proa::lab_tests {
namespace {

constexpr const char* kImage = "docker.io/proa/test-dns:1";

// Its program; empty if it has not been built.
std::string coredns() {
  const e2e::Outcome found = e2e::run_shell(
      (node_tests::tests_folder() / "clients/build-go").string() + " dns 2>/dev/null");
  return found.code == 0 ? found.text.substr(0, found.text.find('\n')) : "";
}

// With the image of busybox in place of its own: the program has to be named.
std::string manifest() {
  std::stringstream text;
  text << std::ifstream(node_tests::tests_folder() / "conformance/dns/dns.yaml").rdbuf();
  std::string yaml = text.str();
  const size_t at = yaml.find("        args:");
  EXPECT_NE(at, std::string::npos);
  return yaml.insert(at, "        command: [dns]\n");
}

class CoreDnsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    const std::string program = coredns();
    if (program.empty()) {
      GTEST_SKIP() << "no CoreDNS: PROA_BUILD_CLIENTS=1 tests/clients/build-go dns builds it";
    }
    if (!enter_own_host()) GTEST_SKIP() << "no network namespace can be made";
    lab_ = std::make_unique<TestLab>(own_name("coredns"), folder_.path(),
                                     "--nodes 2 -- --dns none --cluster-dns 10.96.0.10");
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const std::string node : {"node-1", "node-2"}) {
      const std::string make = (node_tests::tests_folder() / "node/make-busybox-image").string() +
                               " /run/proa/containerd.sock ";
      lab_->inside(node, make + node_tests::Cluster::kBusybox);
      lab_->inside(node, "env ADD=" + program + " " + make + kImage);
      lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: asks-" + node +
                  "}\nspec:\n  nodeName: " + node +
                  "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - {name: c, image: " +
                  node_tests::Cluster::kBusybox + ", command: [sh, -c, 'exec sleep 3600']}\n");
    }
    lab_->apply(manifest());
    lab_->apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
        "spec: {selector: {app: none}, ports: [{name: http, port: 80}]}\n");
    lab_->wait("-n kube-system deployment/dns", "Available");
    for (const char* pod : {"asks-node-1", "asks-node-2"}) {
      lab_->wait(std::string("pod/") + pod, "Ready");
    }
  }

  LabFolder folder_;
  std::unique_ptr<TestLab> lab_;
};

TEST_F(CoreDnsTest, ResolvesInsteadOfTheNodes) {
  const std::string web = lab_->ask("get service web -o jsonpath='{.spec.clusterIP}'");
  for (const std::string node : {"node-1", "node-2"}) {
    SCOPED_TRACE(node);
    const std::string pod = "asks-" + node;
    EXPECT_NE(lab_->ask("exec " + pod + " -- cat /etc/resolv.conf").find("nameserver 10.96.0.10"),
              std::string::npos);
    for (const std::string name : {"web", "web.default.svc.cluster.local"}) {
      std::string found;
      EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), [&] {
        found = lab_->kubectl("exec " + pod + " -- nslookup " + name).text;
        return found.find(web) != std::string::npos;
      })) << found;
    }
    // Nodes neither have the address nor a server at it.
    EXPECT_EQ(lab_->inside(node, "ip -o address show lo").find("10.96.0.10"), std::string::npos);
    EXPECT_EQ(lab_->inside(node, "ss -lnu").find(":53 "), std::string::npos);
  }
  // The Service is the user's: nobody adds endpoints to it or takes it away.
  EXPECT_EQ(lab_->ask("-n kube-system get service kube-dns -o jsonpath='{.spec.selector.k8s-app}'"),
            "kube-dns");
  // Names go with it.
  lab_->ask("-n kube-system delete deployment dns --wait --cascade=foreground --timeout=60s");
  EXPECT_NE(lab_->kubectl("exec asks-node-2 -- nslookup web").code, 0);
}

}  // namespace
}  // namespace proa::lab_tests
