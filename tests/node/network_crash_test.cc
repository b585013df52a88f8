// Kills the program at random times while Services, endpoints and Nodes come and go: after a
// restart the rules, routes, links, neighbours and forwarding entries are those of a start on a
// machine that has none of them. In the end nothing is left.
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

// Tables and what is in them are listed in the order in which they were made, which differs. Other
// rules of a chain stay in their order.
std::string in_order(const std::string& listed) {
  std::map<std::string, std::string> blocks;
  std::map<std::string, std::set<std::string>> destinations;
  std::string table;
  std::string block;
  std::istringstream lines(testkit::sorted_listing(listed));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("table ")) table = block = line;
    if (line.starts_with("\tchain ") || line.starts_with("\tset ") || line.starts_with("\tmap ")) {
      block = table + line;
    }
    if (is_of_destination(block, line)) {
      destinations[block].insert(line);
    } else if (!line.empty() && line != "}") {
      blocks[block] += line + "\n";
    }
  }
  std::string text;
  for (const auto& [name, lines_of] : blocks) {
    text += lines_of;
    for (const std::string& line : destinations[name]) text += line + "\n";
  }
  return text;
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
    cluster_ = std::make_unique<Cluster>(std::vector<std::string>{"--proxy-mode", mode});
    const std::string socket = cluster_->socket();
    bridge_ = socket.substr(5, socket.rfind('/') - 5);
    writer_ = std::make_unique<Writer>(cluster_->data_dir());
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
    const std::string route = fmt::format("10.99.{}.0/24", mark);
    const std::string service = fmt::format("10.96.7.{}", mark + 1);
    const auto done = [&] {
      const std::string state = network_state(bridge_);
      return contains(state, route) && contains(state, service);
    };
    EXPECT_TRUE(testkit::holds_within(20s, done)) << network_state(bridge_);
    writer_->delete_service(mark);
    writer_->delete_node(mark);
    std::string state;
    const auto still = [&] {
      const std::string last = std::exchange(state, network_state(bridge_));
      std::this_thread::sleep_for(250ms);
      return !contains(state, route) && !contains(state, service) &&
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
    switch (choices_() % 6) {
      case 0:
        return writer_->put_service(i);
      case 1:
        return writer_->delete_service(i);
      case 2:
      case 3:
        return writer_->put_endpoints(i, static_cast<int>(choices_() % 5));
      case 4:
        return writer_->put_node(i, i + 20 * static_cast<int>(choices_() % 2));
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
