// Load balancers without a cloud: addresses of a pool that one node each announces, another one
// soon after that node dies; and the nodes' own addresses.

#include <cstdio>
#include <thread>

#include "base/strings.h"
#include "lab.h"

namespace proa::lab_tests {
namespace {

constexpr const char* kPool = "172.30.0.128/25,fd30:6c61:62:0:1::/80";
// Of these, node-2 is the first choice, in every release (network/announce/choose).
constexpr const char* kV4 = "172.30.0.128";
constexpr const char* kV6 = "fd30:6c61:62:0:1::5";
// The next free ones.
constexpr const char* kLocalV4 = "172.30.0.129";
constexpr const char* kLocalV6 = "fd30:6c61:62:0:1::1";
constexpr int kMostMillis = 2000;

// What `peer gap` printed: "answered 622 longest 1459".
struct Gap {
  int answered = 0;
  int millis = 0;
};

class LoadBalancerTest : public testing::Test {
 protected:
  void start_lab(int nodes, const std::string& flags) {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    peer_ = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lab_peer").string();
    lab_ = std::make_unique<TestLab>(own_name("balancer"), folder_.path(),
                                     "--nodes " + std::to_string(nodes) + " " + flags);
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (int number = 1; number <= nodes; ++number) {
      lab_->inside("node-" + std::to_string(number),
                   "env ADD=" + peer_ + " " +
                       (node_tests::tests_folder() / "node/make-busybox-image").string() +
                       " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
  }

  void put_pod(const std::string& name, const std::string& node,
               const std::string& host_port = "") const {
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {app: " + name +
                "}}\nspec:\n  nodeName: " + node +
                "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
                node_tests::Cluster::kBusybox + "\n    command: [lab_peer, serve, '8080']\n" +
                (host_port.empty()
                     ? ""
                     : "    ports: [{containerPort: 8080, hostPort: " + host_port + "}]\n"));
    lab_->wait("pod/" + name, "Ready");
  }
  void put_service(const std::string& name, const std::string& app, const std::string& port,
                   const std::string& more = "") const {
    lab_->apply("apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
                "}\nspec: {type: LoadBalancer, selector: {app: " + app + "}, ports: [{port: " +
                port + ", targetPort: 8080}]" + (more.empty() ? "" : ", " + more) + "}\n");
  }

  std::string addresses_of(const std::string& service) const {
    return lab_->ask("get service/" + service +
                     " -o 'jsonpath={.status.loadBalancer.ingress[*].ip}'");
  }
  void expect_addresses(const std::string& service, const std::string& addresses) const {
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                      [&] { return addresses_of(service) == addresses; }))
        << service << " has: " << addresses_of(service);
  }
  // "EnsuringLoadBalancer: Ensuring load balancer", one per line.
  void expect_event(const std::string& service, const std::string& event) const {
    std::string all;
    EXPECT_TRUE(testkit::holds_within(
        std::chrono::seconds(10),
        [&] {
          all = lab_->ask(
              "get events --field-selector involvedObject.kind=Service,involvedObject.name=" +
              service + " -o 'jsonpath={range .items[*]}{.reason}: {.message}{\"\\n\"}{end}'");
          return all.find(event) != std::string::npos;
        }))
        << event << "\nis not among\n"
        << all;
  }

  // "NAME SOURCE": who answers the client outside of the cluster, and whom he sees.
  std::string ask(const std::string& address, const std::string& port) const {
    const std::string said = lab_->inside("client", peer_ + " ask tcp " + address + " " + port);
    return said.substr(0, said.rfind(' '));
  }
  void expect_answer(const std::string& address, const std::string& port,
                     const std::string& answer) const {
    std::string last;
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10),
                                      [&] {
                                        last = ask(address, port);
                                        return last.starts_with(answer);
                                      }))
        << address << " " << port << ": " << last;
  }
  // The last digit of the MAC address that neighbours know is the number of the node.
  std::string announcer(const std::string& address) const {
    const std::string known = lab_->inside("switch", "ip neigh show " + address);
    const size_t mac = known.find("02:70:72:6f:00:");
    return mac == std::string::npos ? known : "node-" + known.substr(mac + 16, 1);
  }
  void expect_announcer(const std::string& address, const std::string& node) const {
    EXPECT_TRUE(
        testkit::holds_within(std::chrono::seconds(10), [&] { return announcer(address) == node; }))
        << address << " is announced by " << announcer(address);
  }
  std::jthread measure(const std::string& address, Gap& gap) const {
    return std::jthread([this, address, &gap] {
      const std::string said = lab_->inside("client", peer_ + " gap " + address + " 80 5");
      std::sscanf(said.c_str(), "answered %d longest %d", &gap.answered, &gap.millis);
    });
  }

  LabFolder folder_;
  std::string peer_;
  std::unique_ptr<TestLab> lab_;
};

class PoolTest : public LoadBalancerTest {
 protected:
  void SetUp() override {
    start_lab(3, std::string("--dual-stack -- --load-balancer-pool ") + kPool);
    if (IsSkipped() || HasFatalFailure()) return;
    put_pod("first", "node-1");
    put_pod("third", "node-3");
  }

  void check_status() const {
    expect_event("v4", "EnsuringLoadBalancer: Ensuring load balancer");
    expect_event("v4", "EnsuredLoadBalancer: Ensured load balancer");
    EXPECT_EQ(lab_->ask("get service/v4 -o 'jsonpath={.metadata.finalizers[*]} "
                        "{.status.loadBalancer.ingress[0].ipMode}'"),
              "service.kubernetes.io/load-balancer-cleanup VIP");
    expect_event("outside",
                 "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure "
                 "load balancer: loadBalancerIP 172.30.0.77 is not in the pool ");
    expect_event("taken", "loadBalancerIP 172.30.0.128 is used by Service default/v4");
    EXPECT_EQ(addresses_of("foreign"), "");
    EXPECT_EQ(lab_->ask("get service/foreign -o 'jsonpath={.metadata.finalizers}'"), "");
  }

  // node-2 announces both addresses.
  void check_death() {
    Gap v4;
    Gap v6;
    {
      const std::jthread first = measure(kV4, v4);
      const std::jthread second = measure(kV6, v6);
      std::this_thread::sleep_for(std::chrono::seconds(1));
      const e2e::Outcome killed = lab_->run("kill", "node-2");
      EXPECT_EQ(killed.code, 0) << killed.text;
    }
    for (const Gap& gap : {v4, v6}) {
      EXPECT_GT(gap.answered, 0);
      EXPECT_LE(gap.millis, kMostMillis);
      std::printf("[ takeover ] %d ms without an answer\n", gap.millis);
    }
    EXPECT_NE(announcer(kV4), "node-2");
    EXPECT_NE(announcer(kV6), "node-2");
  }
  // Without an API server, nodes go on with what they have.
  void check_server_death() {
    Gap gap;
    {
      const std::jthread asking = measure(kLocalV4, gap);
      const e2e::Outcome killed = lab_->run("kill", "node-1");
      EXPECT_EQ(killed.code, 0) << killed.text;
    }
    EXPECT_GT(gap.answered, 0);
    EXPECT_LE(gap.millis, kMostMillis / 2);
  }
  // It is the first choice again.
  void check_return() {
    Gap gap;
    {
      const std::jthread asking = measure(kV4, gap);
      const e2e::Outcome started = lab_->run("start", "node-2");
      EXPECT_EQ(started.code, 0) << started.text;
      expect_announcer(kV4, "node-2");
    }
    EXPECT_GT(gap.answered, 0);
    EXPECT_LE(gap.millis, kMostMillis / 2);
  }
};

TEST_F(PoolTest, AddressesAreAnnouncedAndMove) {
  put_service("v4", "first", "80", std::string("loadBalancerIP: ") + kV4);
  put_service("v6", "first", "80",
              std::string("ipFamilies: [IPv6], loadBalancerIP: '") + kV6 + "'");
  put_service("local", "third", "80",
              "externalTrafficPolicy: Local, ipFamilyPolicy: RequireDualStack");
  put_service("foreign", "first", "80", "loadBalancerClass: example.com/other");
  put_service("outside", "first", "80", "loadBalancerIP: 172.30.0.77");
  put_service("taken", "first", "80", std::string("loadBalancerIP: ") + kV4);
  expect_addresses("v4", kV4);
  expect_addresses("v6", kV6);
  expect_addresses("local", std::string(kLocalV4) + " " + kLocalV6);
  check_status();

  // By the node that announces it; and only by a node with an endpoint, which sees the client.
  expect_answer(kV4, "80", "first 172.30.0.12");
  expect_answer(kV6, "80", "first fd30:6c61:62::12");
  expect_answer(kLocalV4, "80", "third 172.30.255.2");
  expect_answer(kLocalV6, "80", "third fd30:6c61:62:255::2");
  for (const char* address : {kV4, kV6}) expect_announcer(address, "node-2");
  for (const char* address : {kLocalV4, kLocalV6}) expect_announcer(address, "node-3");
  // No interface has it.
  EXPECT_EQ(lab_->inside("node-2", "ip address").find(std::string(kV4) + "/"), std::string::npos);

  check_death();
  check_return();

  // The one that waited has it now.
  lab_->ask("delete service/v4");
  expect_event("v4", "DeletedLoadBalancer: Deleted load balancer");
  expect_addresses("taken", kV4);
  check_server_death();
}

class NodeAddressesTest : public LoadBalancerTest {
 protected:
  void SetUp() override { start_lab(2, ""); }
};

TEST_F(NodeAddressesTest, APortLeadsToOneService) {
  put_pod("web", "node-1");
  put_pod("other", "node-2", "81");
  put_service("first", "web", "80");
  expect_addresses("first", "172.30.0.11 172.30.0.12");
  // Nobody announces anything.
  EXPECT_EQ(lab_->ask("get leases -n kube-system -l proa.dev/announcer -o name"), "");
  // As sshd would, on one of the nodes.
  lab_->inside("node-1", "busybox httpd -p 22");
  put_service("shell", "web", "22");
  expect_addresses("shell", "172.30.0.12");
  expect_event("shell", "port 22/TCP of node node-1 is used by a program");
  put_service("second", "other", "80");
  put_service("third", "web", "81");
  expect_event("second",
               "SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load "
               "balancer: port 80/TCP is used by Service default/first");
  EXPECT_EQ(addresses_of("second"), "");
  expect_addresses("third", "172.30.0.11");
  expect_event("third", "port 81/TCP of node node-2 is used by pod default/other");
  expect_answer("172.30.0.11", "80", "web");
  expect_answer("172.30.0.12", "80", "web");
  expect_answer("172.30.0.11", "81", "web");
  expect_answer("172.30.0.12", "81", "other");

  lab_->ask("delete service/first");
  expect_addresses("second", "172.30.0.11 172.30.0.12");
  expect_answer("172.30.0.12", "80", "other");
  lab_->ask("delete pod/other");
  expect_addresses("third", "172.30.0.11 172.30.0.12");
}

}  // namespace
}  // namespace proa::lab_tests
