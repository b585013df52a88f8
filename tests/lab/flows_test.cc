// Where packets go in a cluster of three machines, by what the two ends of each flow see. In both
// families, for every kind of pod network and of service proxy. `PROA_FLOWS=all` runs all
// combinations, without it two of them run.

#include <cstdlib>
#include <map>
#include <set>
#include <thread>

#include "base/strings.h"
#include "lab.h"

namespace proa::lab_tests {
namespace {

struct Kind {
  const char* network;
  const char* proxy;
};
constexpr Kind kKinds[] = {
    {"routes", "nftables"}, {"vxlan", "iptables"}, {"vxlan", "nftables"}, {"routes", "iptables"}};
constexpr size_t kQuick = 2;

std::vector<Kind> kinds() {
  const char* wanted = std::getenv("PROA_FLOWS");
  const bool all = wanted != nullptr && std::string_view(wanted) == "all";
  return {std::begin(kKinds), all ? std::end(kKinds) : std::begin(kKinds) + kQuick};
}

constexpr const char* kPort = "8080";

// What `peer ask` printed: "server-2 10.244.0.7 3".
struct Answer {
  std::string name;    // of who answered, or "refused", "silent", ...
  std::string source;  // as the other end saw it
  int millis = 0;
};

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  for (const std::string_view word : split(line, ' ')) words.emplace_back(word);
  return words;
}

std::vector<Answer> answers_in(const std::string& text) {
  std::vector<Answer> answers;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string> words = words_of(std::string(line));
    if (words.size() == 3) answers.push_back({words[0], words[1], std::atoi(words[2].c_str())});
    if (words.size() == 2) answers.push_back({words[0], "", std::atoi(words[1].c_str())});
  }
  return answers;
}

class FlowsTest : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << "no lab: " << missing();
    peer_ = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lab_peer").string();
    lab_ = std::make_unique<TestLab>(own_name("flows"), folder_.path(),
                                     std::string("--nodes 3 --dual-stack -- --pod-network ") +
                                         GetParam().network + " --proxy-mode " + GetParam().proxy);
    ASSERT_EQ(lab_->up().code, 0) << lab_->up().text;
    for (const char* node : {"node-1", "node-2", "node-3"}) {
      lab_->inside(node, "env ADD=" + peer_ + " " +
                             (node_tests::tests_folder() / "node/make-busybox-image").string() +
                             " /run/proa/containerd.sock " + node_tests::Cluster::kBusybox);
    }
    put_pod("server-1", "node-1", "app: both, one: first, datagrams: here");
    put_pod("server-2", "node-2", "app: both, one: second");
    put_pod("client-1", "node-1", "app: none");
    put_pod("client-3", "node-3", "app: none");
    put_service("near", "one: first");
    put_service("far", "one: second");
    put_service("both", "app: both", "type: NodePort");
    put_service("local", "one: second", "type: NodePort, externalTrafficPolicy: Local");
    put_service("sticky", "app: both", "sessionAffinity: ClientIP");
    put_service("datagrams", "datagrams: here", "", "UDP");
    put_service("empty", "app: nobody");
    for (const char* pod : {"server-1", "server-2", "client-1", "client-3"})
      lab_->wait(std::string("pod/") + pod, "Ready");
  }

  void put_pod(const std::string& name, const std::string& node, const std::string& labels) const {
    lab_->apply("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {" + labels +
                "}}\nspec:\n  nodeName: " + node +
                "\n  terminationGracePeriodSeconds: 1\n  containers:\n  - name: c\n    image: " +
                node_tests::Cluster::kBusybox + "\n    command: [lab_peer, serve, '" + kPort +
                "']\n");
  }
  void put_service(const std::string& name, const std::string& selector,
                   const std::string& more = "", const std::string& protocol = "TCP") const {
    lab_->apply("apiVersion: v1\nkind: Service\nmetadata: {name: " + name +
                "}\nspec: {ipFamilyPolicy: RequireDualStack, selector: {" + selector +
                "}, ports: [{protocol: " + protocol + ", port: 80, targetPort: " + kPort + "}]" +
                (more.empty() ? "" : ", " + more) + "}\n");
  }

  // `from`: a pod, or a machine.
  std::vector<Answer> ask_all(const std::string& from, const std::string& words) const {
    const bool is_pod = from.starts_with("server-") || from.starts_with("client-");
    if (is_pod) return answers_in(lab_->ask("exec " + from + " -- lab_peer ask " + words));
    return answers_in(lab_->inside(from, peer_ + " ask " + words));
  }
  Answer ask(const std::string& from, const std::string& address,
             const std::string& port = kPort) const {
    const std::vector<Answer> answers = ask_all(from, "tcp " + address + " " + port);
    return answers.empty() ? Answer{"nothing", "", 0} : answers.front();
  }
  // Rules follow objects within moments.
  void expect_soon(const std::string& what, const std::function<bool()>& holds) const {
    EXPECT_TRUE(testkit::holds_within(std::chrono::seconds(10), holds)) << what;
  }
  void expect_answer(const std::string& from, const std::string& address, const std::string& port,
                     const std::string& name, const std::string& source) const {
    Answer last;
    expect_soon("", [&] {
      last = ask(from, address, port);
      return last.name == name;
    });
    EXPECT_EQ(last.name, name) << from << " asks " << address << " " << port;
    if (source.empty()) return;
    EXPECT_EQ(last.source, source) << from << " asks " << address << " " << port;
  }

  std::string field(const std::string& object, const std::string& path) const {
    return lab_->ask("get " + object + " -o 'jsonpath={" + path + "}'");
  }
  // Of the first or the second family.
  std::string pod_ip(const std::string& pod, int family) const {
    return field("pod/" + pod, ".status.podIPs[" + std::to_string(family) + "].ip");
  }
  std::string service_ip(const std::string& service, int family) const {
    return field("service/" + service, ".spec.clusterIPs[" + std::to_string(family) + "]");
  }
  std::string node_port(const std::string& service) const {
    return field("service/" + service, ".spec.ports[0].nodePort");
  }
  std::string machine_ip(const std::string& machine, int family) const {
    return lab_->inside(
        machine,
        std::string("sh -c \"ip -o ") + (family == 0 ? "-4" : "-6") +
            " address show dev eth0 scope global | head -n 1 | sed 's/.*inet6* //;s,/.*,,'\"");
  }

  void check_pods(int family) const {
    const std::string from = pod_ip("client-1", family);
    expect_answer("client-1", pod_ip("server-1", family), kPort, "server-1", from);
    expect_answer("client-1", pod_ip("server-2", family), kPort, "server-2", from);
  }
  void check_services(int family) const {
    const std::string from = pod_ip("client-1", family);
    expect_answer("client-1", service_ip("near", family), "80", "server-1", from);
    expect_answer("client-1", service_ip("far", family), "80", "server-2", from);
    expect_answer("server-1", service_ip("near", family), "80", "server-1", "");
    expect_answer("node-3", service_ip("far", family), "80", "server-2", "");
    expect_answer("node-1", service_ip("near", family), "80", "server-1", "");
  }
  void check_outside(int family) const {
    const std::string client = machine_ip("client", family);
    // Through a node without an endpoint: that node's address is seen.
    expect_soon("through a node", [&] {
      const Answer answer = ask("client", machine_ip("node-3", family), node_port("both"));
      return answer.name.starts_with("server-") && answer.source != client;
    });
    expect_answer("client", machine_ip("node-2", family), node_port("local"), "server-2", client);
    EXPECT_EQ(ask("client", machine_ip("node-3", family), node_port("local")).name, "silent");
  }
  void check_leaving(int family) const {
    const Answer answer = ask("client-3", machine_ip("client", family), "9000");
    EXPECT_EQ(answer.name, "client");
    EXPECT_EQ(answer.source, machine_ip("node-3", family));
  }
  std::set<std::string> answering(const std::string& service, int family) const {
    std::set<std::string> names;
    for (const Answer& answer :
         ask_all("client-3", "tcp " + service_ip(service, family) + " 80 40"))
      names.insert(answer.name);
    return names;
  }
  void check_choice(int family) const {
    EXPECT_EQ(answering("both", family), (std::set<std::string>{"server-1", "server-2"}));
    EXPECT_EQ(answering("sticky", family).size(), 1U);
  }
  void check_nobody(int family) const {
    for (const char* from : {"client-1", "node-2"}) {
      const Answer answer = ask(from, service_ip("empty", family), "80");
      EXPECT_EQ(answer.name, "refused") << from;
      // Linux's TCP waits a second before it believes the ICMPv6 error that upstream's rules of
      // iptables send.
      const bool slow = family == 1 && std::string_view(GetParam().proxy) == "iptables";
      EXPECT_LT(answer.millis, slow ? 1500 : 500) << from;
    }
  }
  // The same flow, since it has the same ports, goes to the new endpoint when the old one is gone.
  void check_datagrams(int family) const {
    const std::string words = "udp " + service_ip("datagrams", family) + " 80 1 5353";
    const auto name = [&] {
      const std::vector<Answer> answers = ask_all("client-3", words);
      return answers.empty() ? std::string() : answers.front().name;
    };
    expect_soon("the first endpoint", [&] { return name() == "server-1"; });
    lab_->ask("label pod server-1 datagrams-");
    lab_->ask("label pod server-2 datagrams=here");
    expect_soon("the second endpoint", [&] { return name() == "server-2"; });
    lab_->ask("label pod server-2 datagrams-");
    lab_->ask("label pod server-1 datagrams=here");
  }

  LabFolder folder_;
  std::string peer_;
  std::unique_ptr<TestLab> lab_;
};

TEST_P(FlowsTest, GoWhereTheyShould) {
  // A server outside of the cluster; it ends with its machine.
  std::jthread outside([&] { lab_->run("exec", "client -- " + peer_ + " serve 9000"); });
  for (const int family : {0, 1}) {
    SCOPED_TRACE(family == 0 ? "first family" : "second family");
    check_pods(family);
    check_services(family);
    check_outside(family);
    check_leaving(family);
    check_choice(family);
    check_nobody(family);
    check_datagrams(family);
  }
  lab_->down();
}

INSTANTIATE_TEST_SUITE_P(Kinds, FlowsTest, testing::ValuesIn(kinds()),
                         [](const testing::TestParamInfo<Kind>& one) {
                           return std::string(one.param.network) + "_" + one.param.proxy;
                         });

}  // namespace
}  // namespace proa::lab_tests
