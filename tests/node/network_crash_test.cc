// Kills the program at random times while Services, endpoints, Nodes and NetworkPolicies come and
// go: after a restart the rules, routes, links, neighbours and forwarding entries are those of a
// start on a machine that has none of them. In the end nothing is left.
//
//   PROA_NETWORK_CRASH_ROUNDS=30 PROA_NETWORK_CRASH_SEED=7 network_crash_test
//
// The machine is a network namespace of the test's own; the other Nodes exist in the API alone.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "testkit/netlink/nft_text.h"
#include "tests/e2e/admin.h"
#include "tests/lab/lab.h"
#include "tests/node/cluster.h"
#include "tests/node/traces.h"

namespace proa::node_tests {
namespace {

using namespace std::chrono_literals;

int number(const char* variable, int fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::atoi(text);
}

std::string output(const std::string& command) { return e2e::run_shell(command).text; }

// Whether a rule is one of many for different destinations, whose order does not matter: what
// changes comes last in the mode iptables.
bool is_of_destination(const std::string& block, const std::string& line) {
  return block.find("chain KUBE-") != std::string::npos &&
         line.find(" dport ") != std::string::npos;
}

bool is_of_policies(const std::string& block) { return block.find("proa-policy") < 16; }

// Numbers in names tell what was made first.
std::string without_number(const std::string& line) {
  static const std::regex kNumbered(
      "((peers|ports)-|(pods|ranges)-(in|out)/|(in|out)/default/[^/ ]+/)[0-9]+");
  return std::regex_replace(line, kNumbered, "$1N");
}

// Tables and what is in them are listed in the order in which they were made, which differs, and so
// does that of a pod's policies. Other rules of a chain stay in their order.
std::string in_order(const std::string& listed) {
  std::map<std::string, std::string> blocks;
  std::map<std::string, std::multiset<std::string>> destinations;
  std::string table;
  std::string block;
  std::istringstream lines(testkit::sorted_listing(listed));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("table ")) table = block = line;
    if (line.starts_with("\tchain ") || line.starts_with("\tset ") || line.starts_with("\tmap ")) {
      block = table + line;
    }
    if (line.empty() || line == "}") continue;
    if (is_of_policies(block) && line.starts_with("\t\t")) {
      destinations[block].insert(without_number(line));
    } else if (is_of_policies(block)) {
      blocks[block] += without_number(line) + "\n";
    } else if (is_of_destination(block, line)) {
      destinations[block].insert(line);
    } else {
      blocks[block] += line + "\n";
    }
  }
  std::multiset<std::string> texts;
  for (const auto& [name, lines_of] : blocks) {
    std::string text = lines_of;
    for (const std::string& line : destinations[name]) text += line + "\n";
    texts.insert(std::move(text));
  }
  std::string all;
  for (const std::string& text : texts) all += text;
  return all;
}

// The network of this machine, as far as it is not the same forever: index numbers of links differ.
std::string network_state(const std::string& bridge) {
  const std::string tunnel = bridge + "v";
  return in_order(output("nft -s list ruleset 2>/dev/null")) +
         output(
             "ip -o link | cut -d ' ' -f 2- | sort; ip -o address | cut -d ' ' -f 2- | sort; "
             "ip route | sort; ip -6 route | sort; ip rule; bridge fdb show dev " +
             tunnel + " 2>/dev/null | sort; ip neigh show nud permanent dev " + tunnel +
             " 2>/dev/null | sort");
}

// Everything that may be left: as it is listed.
std::string whole_state() {
  return output(
      "ip -o link; ip -o address; ip route; ip -6 route; ip rule; nft -s list ruleset 2>/dev/null; "
      "ls "
      "/run/netns 2>/dev/null; find /sys/fs/cgroup -type d -path '*/proa*' -not -path "
      "'*/proa-lab-*'; cut -d ' ' -f 5 "
      "/proc/self/mountinfo");
}

// Writes to the API until it answers, whatever happens to the server.
class Writer {
 public:
  explicit Writer(std::string data_dir) : data_dir_(std::move(data_dir)) {}

  int ask(std::string_view method, const std::string& target, const std::string& body = "") {
    while (true) {
      if (!admin_) admin_.emplace(data_dir_);
      const e2e::Admin::Answer answer = admin_->ask(method, target, body);
      if (answer.code != 0 && answer.code < 500 && answer.code != 429) return answer.code;
      admin_.reset();
      std::this_thread::sleep_for(20ms);
    }
  }

  // A Node with that number: odd ones are on the link, the others behind a router. A node that
  // comes back may have another range.
  void put_node(int i, int range) {
    const std::string address =
        fmt::format("{}.{}", i % 2 == 0 ? "198.51.100" : "192.0.2", 100 + i);
    ask("POST", "/api/v1/nodes",
        fmt::format(
            R"({{"metadata":{{"name":"other-{}"}},"spec":{{"podCIDR":"10.99.{}.0/24",)"
            R"("podCIDRs":["10.99.{}.0/24"]}},"status":{{"addresses":[{{"type":"InternalIP",)"
            R"("address":"{}"}}]}}}})",
            i, range, range, address));
  }
  void delete_node(int i) { ask("DELETE", fmt::format("/api/v1/nodes/other-{}", i)); }

  void put_service(int i) {
    const char* extra = i % 3 == 0   ? R"("type":"NodePort","externalTrafficPolicy":"Local",)"
                        : i % 3 == 1 ? R"("sessionAffinity":"ClientIP",)"
                                     : R"("internalTrafficPolicy":"Local",)";
    ask("POST", "/api/v1/namespaces/default/services",
        fmt::format(R"({{"metadata":{{"name":"s-{}"}},"spec":{{{}"clusterIP":"10.96.7.{}",)"
                    R"("ports":[{{"port":{},"protocol":"{}"}}]}}}})",
                    i, extra, i + 1, 1000 + i, i % 4 == 3 ? "UDP" : "TCP"));
  }
  void delete_service(int i) {
    ask("DELETE", fmt::format("/api/v1/namespaces/default/services/s-{}", i));
    ask("DELETE", fmt::format("{}/s-{}", kSlices, i));
  }
  void put_pod(int i) {
    const std::string pod =
        fmt::format(R"({{"metadata":{{"name":"pod-{}","labels":{{"app":"a{}"}}}},"spec":{{)"
                    R"("terminationGracePeriodSeconds":1,"automountServiceAccountToken":false,)"
                    R"("containers":[{{"name":"c","image":"{}","command":["sleep","86400"],)"
                    R"("ports":[{{"name":"web","containerPort":80}}]}}]}}}})",
                    i, i, Cluster::kBusybox);
    // Pods are refused until their ServiceAccount exists.
    EXPECT_TRUE(testkit::holds_within(
        20s, [&] { return ask("POST", "/api/v1/namespaces/default/pods", pod) == 201; }));
  }
  // Selects one of the pods, or all.
  void put_policy(int i) {
    const std::string selector =
        i % 3 == 2 ? "" : fmt::format(R"("matchLabels":{{"app":"a{}"}})", i % 3);
    ask("POST", kPolicies,
        fmt::format(
            R"({{"metadata":{{"name":"policy-{}"}},"spec":{{"podSelector":{{{}}},)"
            R"("policyTypes":["Ingress","Egress"],"ingress":[{{"from":[{{"podSelector":)"
            R"({{"matchLabels":{{"app":"a{}"}}}}}},{{"ipBlock":{{"cidr":"10.0.0.0/8",)"
            R"("except":["10.{}.0.0/16"]}}}}],"ports":[{{"port":"web"}},{{"port":{}}}]}}]}}}})",
            i, selector, i % 2, i, 1000 + i));
  }
  void delete_policy(int i) { ask("DELETE", fmt::format("{}/policy-{}", kPolicies, i)); }
  // `count`: of endpoints.
  void put_endpoints(int i, int count) {
    std::string endpoints;
    for (int k = 0; k < count; ++k) {
      endpoints += fmt::format(R"({}{{"addresses":["10.99.{}.{}"],"conditions":{{"ready":true}}}})",
                               k == 0 ? "" : ",", i, k + 1);
    }
    const std::string slice = fmt::format(
        R"({{"metadata":{{"name":"s-{}","labels":{{"kubernetes.io/service-name":"s-{}"}}}},)"
        R"("addressType":"IPv4","ports":[{{"name":"","port":80,"protocol":"{}"}}],)"
        R"("endpoints":[{}]}})",
        i, i, i % 4 == 3 ? "UDP" : "TCP", endpoints);
    ask("DELETE", fmt::format("{}/s-{}", kSlices, i));
    ask("POST", kSlices, slice);
  }

 private:
  static constexpr const char* kPolicies =
      "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
  static constexpr const char* kSlices =
      "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
  const std::string data_dir_;
  std::optional<e2e::Admin> admin_;
};

// One cluster in one mode of the proxy.
class Machine {
 public:
  Machine(const std::string& mode, unsigned seed)
      : random_(seed), before_(whole_state()), mode_(mode) {
    cluster_ = std::make_unique<Cluster>(
        std::vector<std::string>{"--proxy-mode", mode, "--network-policy", "nftables"});
    const std::string socket = cluster_->socket();
    bridge_ = socket.substr(5, socket.rfind('/') - 5);
    writer_ = std::make_unique<Writer>(cluster_->data_dir());
    for (const int i : {0, 1}) writer_->put_pod(i);
  }

  // The program dies at some point of a start or of changes, and is started again.
  void crash_during_changes() {
    std::jthread changes([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) change();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 700));
    restart();
    // The thread's last request has been answered when this ends.
  }
  void restart() {
    cluster_->stop(SIGKILL);
    cluster_->start();
  }
  // What a start makes on a machine without rules.
  std::string fresh_state() {
    cluster_->stop(SIGKILL);
    e2e::run_shell(
        "nft flush ruleset; ip route flush proto 80; ip -6 route flush proto 80; "
        "ip link del " +
        bridge_ + "v 2>/dev/null");
    cluster_->start();
    return settled_state();
  }

  // Once everything up to a last change is carried out.
  std::string settled_state() {
    ++marks_;
    const int mark = 200 + marks_ % 50;
    writer_->put_service(mark);
    writer_->put_endpoints(mark, 1);
    writer_->put_node(mark, mark);
    writer_->put_policy(mark);
    const std::string route = fmt::format("10.99.{}.0/24", mark);
    const std::string service = fmt::format("10.96.7.{}", mark + 1);
    const std::string policy = fmt::format("chain in/default/policy-{}/", mark);
    const auto done = [&] {
      const std::string state = network_state(bridge_);
      return contains(state, route) && contains(state, service) && contains(state, policy);
    };
    EXPECT_TRUE(testkit::holds_within(20s, done)) << network_state(bridge_);
    writer_->delete_service(mark);
    writer_->delete_node(mark);
    writer_->delete_policy(mark);
    std::string state;
    const auto still = [&] {
      const std::string last = std::exchange(state, network_state(bridge_));
      std::this_thread::sleep_for(250ms);
      return !contains(state, route) && !contains(state, service) && !contains(state, policy) &&
             state == network_state(bridge_) && state == last;
    };
    EXPECT_TRUE(testkit::holds_within(20s, still)) << state;
    return state;
  }

  // Uninstalls. Empty, or what differs from the time before.
  std::string left() {
    writer_.reset();
    cluster_.reset();
    const std::string after = whole_state();
    if (after == before_) return "";
    return "before:\n" + before_ + "after:\n" + after;
  }

 private:
  void change() {
    const int i = static_cast<int>(choices_() % 12);
    switch (choices_() % 9) {
      case 0:
        return writer_->put_service(i);
      case 1:
        return writer_->delete_service(i);
      case 2:
      case 3:
        return writer_->put_endpoints(i, static_cast<int>(choices_() % 5));
      case 4:
        return writer_->put_node(i, i + 20 * static_cast<int>(choices_() % 2));
      case 5:
      case 6:
        return writer_->put_policy(i);
      case 7:
        return writer_->delete_policy(i);
      default:
        return writer_->delete_node(i);
    }
  }

  std::mt19937 random_;
  std::mt19937 choices_{random_()};  // of the changing thread
  const std::string before_;
  const std::string mode_;
  std::unique_ptr<Cluster> cluster_;
  std::string bridge_;
  std::unique_ptr<Writer> writer_;
  int marks_ = 0;
};

class NetworkCrashTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!missing().empty()) GTEST_SKIP() << missing();
    if (!lab_tests::enter_own_host()) GTEST_SKIP() << "network namespaces are not permitted";
  }
};

TEST_P(NetworkCrashTest, AfterARestartRulesAreThoseOfAFreshStart) {
  const int rounds = number("PROA_NETWORK_CRASH_ROUNDS", 5);
  const auto seed = static_cast<unsigned>(
      number("PROA_NETWORK_CRASH_SEED", static_cast<int>(std::random_device()() >> 1)));
  std::cout << "seed " << seed << std::endl;
  Machine machine(GetParam(), seed);
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    machine.crash_during_changes();
    const std::string state = machine.settled_state();
    EXPECT_EQ(state, machine.fresh_state());
  }
  EXPECT_EQ(machine.left(), "");
}

INSTANTIATE_TEST_SUITE_P(Modes, NetworkCrashTest, testing::Values("nftables", "iptables"));

}  // namespace
}  // namespace proa::node_tests
