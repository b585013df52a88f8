// NetworkPolicies on two nodes, over both IP families: pods, Services, DNS, the nodes themselves,
// and what is left afterwards.

#include <fmt/format.h>

#include <functional>

#include "lab.h"

namespace proa::lab_tests {
namespace {

constexpr const char* kPolicy =
    "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: ";
// As it stands in most clusters.
constexpr const char* kOnlyDns =
    "only-dns}\nspec:\n  podSelector: {}\n  policyTypes: [Egress]\n  egress:\n  - to:\n"
    "    - namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: kube-system}}\n"
    "      podSelector: {matchLabels: {k8s-app: kube-dns}}\n"
    "    ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]\n";
constexpr const char* kDns = "10.96.0.10";

class WallsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    if (!enter_own_host()) GTEST_SKIP() << "no network namespace can be made";
    lab_ = std::make_unique<TestLab>(own_name("walls"), folder_.path(), "--nodes 2 --dual-stack");
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const char* node : {"node-1", "node-2"}) {
      lab_->inside(node, (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
    put_pod("web", "node-1", "8080");
    put_pod("near", "node-1", "8080");
    put_pod("far", "node-2", "8080");
    put_pod("host", "node-1", "9081", "hostNetwork: true");
    lab_->apply(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: thief}\nspec:\n  nodeName: node-1\n"
        "  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
        std::string(node_tests::Cluster::kBusybox) +
        "\n    command: [sleep, inf]\n    securityContext: {capabilities: {add: [NET_ADMIN]}}\n");
    lab_->apply(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n"
        "spec: {selector: {app: web}, ipFamilyPolicy: RequireDualStack, ports: [{port: 80, "
        "targetPort: 8080}]}\n");
    for (const char* pod : {"web", "near", "far", "host", "thief"}) {
      lab_->wait(std::string("pod/") + pod, "Ready");
    }
  }

  // Serves its name, and at port 9000 sends back what it gets; its probe is one of the kubelet.
  void put_pod(const std::string& name, const std::string& node, const std::string& port,
               const std::string& spec = "") const {
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: " + name +
                "}}\nspec:\n  nodeName: " + node + "\n  terminationGracePeriodSeconds: 1\n" +
                (spec.empty() ? "" : "  " + spec + "\n") +
                "  containers:\n  - name: c\n    image: " + node_tests::Cluster::kBusybox +
                "\n    command: [sh, -c, 'mkdir /w; echo " + name +
                " | tee /w/index.html; nc -ll -p 9000 -e cat & exec httpd -f -p " + port +
                " -h /w']\n    readinessProbe: {tcpSocket: {port: " + port +
                "}, periodSeconds: 1}\n");
  }
  void put_policy(const std::string& rest) const { lab_->apply(kPolicy + rest); }
  void remove_policies() const { lab_->ask("delete networkpolicy --all"); }
  std::string value(const std::string& what, const std::string& path) const {
    return lab_->ask("get " + what + " -o jsonpath='{" + path + "}'");
  }
  std::string in_pod(const std::string& pod, const std::string& command) const {
    return lab_->kubectl("exec " + pod + " -- sh -c '" + command + "'").text;
  }
  // (A static busybox has no wget that works.)
  bool gets(const std::string& pod, const std::string& address, const std::string& port = "8080",
            const std::string& answer = "web") const {
    return in_pod(pod, "printf \"GET / HTTP/1.0\\r\\n\\r\\n\" | nc -w 2 " + address + " " + port)
        .ends_with("\n" + answer + "\n");
  }
  static bool soon(const std::function<bool()>& holds) {
    return testkit::holds_within(std::chrono::seconds(20), holds);
  }
  bool resolves(const std::string& pod) const {
    return in_pod(pod, "timeout 3 nslookup web.default.svc.cluster.local").find(services_[0]) !=
           std::string::npos;
  }
  // The same by TCP: whether somebody takes the connection.
  bool connects_to_dns(const std::string& pod) const {
    return in_pod(pod, fmt::format("nc -w 2 {} 53 </dev/null && echo yes", kDns))
        .ends_with("yes\n");
  }
  std::string explain(const std::string& words) const {
    return e2e::run_program("explain-connection " + words + " --kubeconfig " + folder_.path() +
                            "/" + own_name("walls") + "/kubeconfig")
        .text;
  }
  // How many echo requests reach web when a pod does this.
  int pings_that_arrive(const std::string& pod, const std::string& command) const {
    const auto count = [&] {
      return std::stoi(in_pod("web", "grep ^Icmp: /proc/net/snmp | tail -1 | cut -d\" \" -f 10"));
    };
    const int before = count();
    in_pod(pod, command);
    return count() - before;
  }
  void learn_addresses() {
    for (const char* place : {"0", "1"}) {
      pods_.push_back(value("pod web", fmt::format(".status.podIPs[{}].ip", place)));
      services_.push_back(value("service web", fmt::format(".spec.clusterIPs[{}]", place)));
    }
  }

  LabFolder folder_;
  std::unique_ptr<TestLab> lab_;
  std::vector<std::string> pods_;      // addresses of web, by family
  std::vector<std::string> services_;  // its Service's
};

// One lab serves all of it: making one takes longer than asking.
TEST_F(WallsTest, DecideBetweenPodsOfAllNodes) {
  learn_addresses();
  for (const std::string& web : pods_) {
    for (const char* pod : {"near", "far", "host"}) {
      EXPECT_TRUE(soon([&] { return gets(pod, web); })) << pod << " " << web;
    }
  }
  for (const std::string& service : services_) {
    for (const char* pod : {"near", "far", "web"}) {
      EXPECT_TRUE(soon([&] { return gets(pod, service, "80"); })) << pod << " " << service;
    }
  }

  {
    SCOPED_TRACE("ingress from some pods");
    put_policy(
        "only-far}\nspec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: "
        "[{podSelector: {matchLabels: {app: far}}}]}]}\n");
    EXPECT_TRUE(soon([&] { return !gets("near", pods_[0]); }));
    EXPECT_FALSE(gets("near", pods_[1]));
    for (const std::string& service : services_) {
      EXPECT_FALSE(gets("near", service, "80"));
      EXPECT_TRUE(gets("far", service, "80"));
      // A pod reaches itself also by way of its Service.
      EXPECT_TRUE(gets("web", service, "80"));
    }
    for (const std::string& web : pods_) EXPECT_TRUE(gets("far", web));
    const std::string explained = explain("near web:8080");
    EXPECT_NE(explained.find("no rule of NetworkPolicy default/only-far allows it"),
              std::string::npos)
        << explained;
    lab_->ask("label pod near app=far --overwrite");
    EXPECT_TRUE(soon([&] { return gets("near", pods_[0]); }));
    EXPECT_TRUE(gets("near", pods_[1]));
    // Nor by taking the address of one that may.
    const std::string near = value("pod near", ".status.podIP");
    const std::string ping = fmt::format("ping -c 3 -W 1 -I {} {}", near, pods_[0]);
    EXPECT_EQ(
        pings_that_arrive("thief", fmt::format("ip address add {}/32 dev eth0; {}", near, ping)),
        0);
    EXPECT_EQ(pings_that_arrive("near", ping), 3);
    remove_policies();
  }

  {
    SCOPED_TRACE("a connection that is open");
    const auto grows = [&] {
      return in_pod("far",
                    "a=$(wc -c </tmp/got); sleep 1; b=$(wc -c </tmp/got); "
                    "if [ $a -lt $b ]; then echo yes; fi") == "yes\n";
    };
    in_pod("far", "(while sleep 0.1; do echo x; done) 2>/dev/null | nc " + pods_[0] +
                      " 9000 >/tmp/got 2>/dev/null &");
    EXPECT_TRUE(soon(grows));
    put_policy(
        "not-9000}\nspec: {podSelector: {matchLabels: {app: web}}, ingress: [{ports: [{port: "
        "8080}]}]}\n");
    EXPECT_TRUE(soon([&] { return !grows(); }));
    EXPECT_TRUE(gets("far", pods_[0]));
    in_pod("far", "killall nc");
    remove_policies();
  }

  {
    SCOPED_TRACE("only DNS");
    EXPECT_TRUE(soon([&] { return resolves("far"); }));
    put_policy(kOnlyDns);
    EXPECT_TRUE(soon([&] { return !gets("far", pods_[0]); }));
    for (const char* pod : {"far", "near"}) {
      EXPECT_TRUE(resolves(pod)) << pod;
      EXPECT_TRUE(connects_to_dns(pod)) << pod;
      EXPECT_FALSE(gets(pod, services_[0], "80")) << pod;
      EXPECT_FALSE(gets(pod, pods_[1])) << pod;
    }
    const std::string explained = explain(fmt::format("far {}:53 --protocol UDP", kDns));
    EXPECT_NE(explained.find(fmt::format("UDP {}:53: allowed", kDns)), std::string::npos)
        << explained;
    remove_policies();
  }

  {
    SCOPED_TRACE("nothing at all");
    put_policy("silent}\nspec: {podSelector: {}, policyTypes: [Egress, Ingress]}\n");
    EXPECT_TRUE(soon([&] { return !gets("far", services_[0], "80"); }));
    EXPECT_TRUE(soon([&] { return !gets("near", pods_[0]); }));
    for (const char* pod : {"far", "near"}) {
      EXPECT_FALSE(gets(pod, pods_[1])) << pod;
      EXPECT_FALSE(resolves(pod)) << pod;
      EXPECT_FALSE(connects_to_dns(pod)) << pod;
    }
    EXPECT_TRUE(gets("web", pods_[0]));
    EXPECT_TRUE(gets("web", services_[0], "80"));
    // The node reaches its pods, also from pods of its network, which no policy selects. Another
    // node does not.
    for (const std::string& web : pods_) {
      const std::string place = web.find(':') == std::string::npos ? web : "[" + web + "]";
      const std::string get = " -- curl -sS -g -m 3 http://" + place + ":8080/";
      EXPECT_EQ(lab_->run("exec", "node-1" + get).text, "web\n");
      EXPECT_NE(lab_->run("exec", "node-2" + get).code, 0);
      EXPECT_TRUE(gets("host", web));
    }
    EXPECT_EQ(lab_->run("exec", "node-2 -- curl -sS -m 3 http://node-1:9081/").text, "host\n");
    EXPECT_FALSE(gets("far", value("pod host", ".status.podIP"), "9081", "host"));
    // Probes come from the node.
    EXPECT_EQ(value("pods", ".items[*].status.containerStatuses[0].ready"),
              "true true true true true");
    remove_policies();
    EXPECT_TRUE(soon([&] { return gets("far", services_[0], "80"); }));
  }
  lab_->down();
}

}  // namespace
}  // namespace proa::lab_tests
