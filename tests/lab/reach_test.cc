// Pods of all nodes are reached through the API server, whether it is a node or not, and by the
// addresses of their nodes.

#include "lab.h"

namespace proa::lab_tests {
namespace {

struct Place {
  const char* name;
  const char* flags;
};
// A server that is no node has no route to pods.
constexpr Place kPlaces[] = {{"ServerIsANode", ""},
                             {"ServerApart", "--server-apart"},
                             {"ServerApartRouted", "--server-apart --topology routed"}};

class ReachTest : public testing::TestWithParam<Place> {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    if (!enter_own_host()) GTEST_SKIP() << "no network namespace can be made";
    lab_ = std::make_unique<TestLab>(own_name("reach"), folder_.path(),
                                     std::string("--nodes 2 ") + GetParam().flags);
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const char* node : {"node-1", "node-2"}) {
      lab_->inside(node, (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
    put_pod("web-1", "node-1", "8080", "ports: [{containerPort: 8080, hostPort: 9080}]");
    put_pod("web-2", "node-2", "8080");
    put_pod("host-2", "node-2", "9081", "", "hostNetwork: true");
    lab_->apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
        "spec: {selector: {app: web-2}, ports: [{name: http, port: 80, targetPort: 8080}]}\n");
    for (const char* pod : {"web-1", "web-2", "host-2"}) {
      lab_->wait(std::string("pod/") + pod, "Ready");
    }
  }

  // Serves its name.
  void put_pod(const std::string& name, const std::string& node, const std::string& port,
               const std::string& container = "", const std::string& spec = "") const {
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: " + name +
                "}}\nspec:\n  nodeName: " + node + "\n  terminationGracePeriodSeconds: 1\n" +
                (spec.empty() ? "" : "  " + spec + "\n") +
                "  containers:\n  - name: c\n    image: " + node_tests::Cluster::kBusybox +
                "\n    command: [sh, -c, 'mkdir /w; echo " + name +
                " | tee /w/index.html; exec httpd -f -p " + port + " -h /w']\n" +
                (container.empty() ? "" : "    " + container + "\n") +
                "    readinessProbe: {tcpSocket: {port: " + port + "}, periodSeconds: 1}\n");
  }
  std::string raw(const std::string& path) const { return lab_->ask("get --raw '" + path + "'"); }
  std::string get(const std::string& machine, const std::string& place) const {
    return lab_->run("exec", machine + " -- curl -sS -m 3 http://" + place + "/").text;
  }
  // Whether a pod answers at a port of this machine that kubectl forwards to it.
  std::string forwarded(const std::string& what, const std::string& port) const {
    const std::string log = folder_.path() + "/forward.log";
    std::filesystem::remove(log);
    return lab_
        ->kubectl("port-forward " + what + " :" + port + " > " + log +
                  " & pid=$!; for i in $(seq 100); do grep -qs '127.0.0.1:' " + log +
                  " && break; sleep 0.1; done; "
                  "curl -sS -m 5 http://127.0.0.1:$(sed -n 's/.*127.0.0.1:\\([0-9]*\\) .*/\\1/p' " +
                  log + ")/; kill $pid; wait $pid 2>/dev/null")
        .text;
  }

  LabFolder folder_;
  std::unique_ptr<TestLab> lab_;
};

TEST_P(ReachTest, PodsOfAllNodes) {
  EXPECT_EQ(lab_->ask("get nodes -o name"), "node/node-1\nnode/node-2");
  for (const std::string pod : {"web-1", "web-2", "host-2"}) {
    SCOPED_TRACE(pod);
    const std::string port = pod == "host-2" ? "9081" : "8080";
    EXPECT_EQ(lab_->ask("logs " + pod), pod);
    EXPECT_EQ(lab_->ask("exec " + pod + " -- cat /w/index.html"), pod);
    EXPECT_EQ(raw("/api/v1/namespaces/default/pods/" + pod + ":" + port + "/proxy/"), pod);
    EXPECT_EQ(forwarded("pod/" + pod, port), pod + "\n");
  }
  EXPECT_EQ(raw("/api/v1/namespaces/default/services/web:http/proxy/index.html"), "web-2");
  EXPECT_EQ(forwarded("service/web", "80"), "web-2\n");
  EXPECT_EQ(raw("/api/v1/nodes/node-2/proxy/healthz"), "ok");

  // A port of the node, from outside, from the other node and from the node itself.
  for (const char* machine : {"client", "node-2", "node-1"}) {
    SCOPED_TRACE(machine);
    EXPECT_EQ(get(machine, "node-1:9080"), "web-1\n");
    EXPECT_EQ(get(machine, "node-2:9081"), "host-2\n");
    EXPECT_EQ(
        lab_->run("exec", std::string(machine) + " -- curl -sS -m 3 http://node-2:9080/").code,
        7);  // refused
  }
  lab_->down();
}

INSTANTIATE_TEST_SUITE_P(Places, ReachTest, testing::ValuesIn(kPlaces),
                         [](const testing::TestParamInfo<Place>& one) { return one.param.name; });

}  // namespace
}  // namespace proa::lab_tests
