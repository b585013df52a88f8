// Random sequences of changes end in exactly the reachability that a small model says, which is
// written here without a look at the other one: every pair of pods is probed with packets.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <map>
#include <optional>

#include "testkit/netlink/namespace_test_base.h"
#include "testkit/policy/pod_network.h"
#include "testkit/policy/policy_world.h"

namespace proa::policy {
namespace {

using testkit::PodNetwork;
using Probe = PodNetwork::Probe;
using Map = std::map<std::string, std::string>;

// The reference: a cluster as plain as it can be, and the rules of NetworkPolicy word by word.
struct RefPort {
  std::string protocol;
  uint16_t first = 0, last = 65535;
  std::string name = {};
};
struct RefPeer {
  std::optional<Map> namespaces, pods;
  std::string block = {}, except = {};
};
struct RefRule {
  std::vector<RefPeer> peers;
  std::vector<RefPort> ports;
};
struct RefPolicy {
  std::string name_space;
  Map selector;
  bool ingress = false, egress = false;
  std::vector<RefRule> from, to;
};
struct RefPod {
  std::string name_space;
  Map labels;
  bool exists = false;
};
struct Reference {
  std::map<std::string, Map> namespaces;
  std::vector<RefPod> pods;
  std::map<std::string, RefPolicy> policies;
  const PodNetwork* network = nullptr;

  static bool selects(const Map& selector, const Map& labels) {
    for (const auto& [key, value] : selector) {
      if (!labels.contains(key) || labels.at(key) != value) return false;
    }
    return true;
  }
  bool is_peer(const RefPolicy& policy, const RefPeer& peer, size_t other, bool v6) const {
    if (!peer.block.empty()) {
      const IpAddress address = *parse_ip(network->address(other, v6));
      return parse_prefix(peer.block)->contains(address) &&
             (peer.except.empty() || !parse_prefix(peer.except)->contains(address));
    }
    const RefPod& pod = pods[other];
    const bool place = peer.namespaces ? selects(*peer.namespaces, namespaces.at(pod.name_space))
                                       : pod.name_space == policy.name_space;
    return pod.exists && place && selects(peer.pods.value_or(Map()), pod.labels);
  }
  // Pods with an even number call their port 80 "web", the others 81.
  static uint16_t web_port(size_t pod) { return pod % 2 == 0 ? 80 : 81; }
  bool is_port(const RefPort& port, const Probe& probe, bool known) const {
    if ((probe.protocol == IPPROTO_TCP) != (port.protocol == "TCP")) return false;
    if (port.name.empty()) return port.first <= probe.port && probe.port <= port.last;
    return known && pods[probe.to].exists && port.protocol == "TCP" &&
           probe.port == web_port(probe.to);
  }
  bool permits(const RefPolicy& policy, const RefRule& rule, const Probe& probe,
               size_t other) const {
    // Names of ports are those of pods.
    bool peer_ok = rule.peers.empty(), pod_peer_ok = rule.peers.empty();
    for (const RefPeer& peer : rule.peers) {
      const bool is = is_peer(policy, peer, other, probe.v6);
      peer_ok = peer_ok || is;
      pod_peer_ok = pod_peer_ok || (is && (peer.block.empty() || other == probe.from));
    }
    if (rule.ports.empty()) return peer_ok;
    for (const RefPort& port : rule.ports) {
      if (is_port(port, probe, true) && (port.name.empty() ? peer_ok : pod_peer_ok)) return true;
    }
    return false;
  }
  bool passes(const Probe& probe, size_t self, size_t other, bool ingress) const {
    bool isolated = false;
    for (const auto& [name, policy] : policies) {
      if (!pods[self].exists || policy.name_space != pods[self].name_space) continue;
      if (!(ingress ? policy.ingress : policy.egress)) continue;
      if (!selects(policy.selector, pods[self].labels)) continue;
      isolated = true;
      for (const RefRule& rule : ingress ? policy.from : policy.to) {
        if (permits(policy, rule, probe, other)) return true;
      }
    }
    return !isolated;
  }
  // Enforced on this node only.
  bool reaches(const Probe& probe, size_t local) const {
    return (probe.from >= local || passes(probe, probe.from, probe.to, false)) &&
           (probe.to >= local || passes(probe, probe.to, probe.from, true));
  }
};

std::string json(const Map& map) {
  std::string text;
  for (const auto& [key, value] : map) {
    text += fmt::format(R"({}"{}":"{}")", text.empty() ? "" : ",", key, value);
  }
  return text;
}

std::string json(const RefPeer& peer) {
  if (!peer.block.empty()) {
    return fmt::format(R"({{"ipBlock":{{"cidr":"{}"{}}}}})", peer.block,
                       peer.except.empty() ? "" : fmt::format(R"(,"except":["{}"])", peer.except));
  }
  std::string text;
  if (peer.namespaces) {
    text = fmt::format(R"("namespaceSelector":{{"matchLabels":{{{}}}}})", json(*peer.namespaces));
  }
  if (peer.pods) {
    text += fmt::format(R"({}"podSelector":{{"matchLabels":{{{}}}}})", text.empty() ? "" : ",",
                        json(*peer.pods));
  }
  return "{" + text + "}";
}

std::string json(const RefPort& port) {
  std::string text = fmt::format(R"({{"protocol":"{}")", port.protocol);
  if (!port.name.empty()) return text + fmt::format(R"(,"port":"{}"}})", port.name);
  if (port.first == 0) return text + "}";
  text += fmt::format(R"(,"port":{})", port.first);
  if (port.last != port.first) text += fmt::format(R"(,"endPort":{})", port.last);
  return text + "}";
}

template <typename Item>
std::string list(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ",") + json(item);
  return "[" + text + "]";
}

std::string rules_json(const std::vector<RefRule>& rules, const char* peers) {
  std::string text;
  for (const RefRule& rule : rules) {
    text += fmt::format(R"({}{{"{}":{},"ports":{}}})", text.empty() ? "" : ",", peers,
                        list(rule.peers), list(rule.ports));
  }
  return "[" + text + "]";
}

std::string json(const RefPolicy& policy) {
  return fmt::format(
      R"({{"podSelector":{{"matchLabels":{{{}}}}},"policyTypes":[{}{}{}],"ingress":{},"egress":{}}})",
      json(policy.selector), policy.ingress ? R"("Ingress")" : "",
      policy.ingress && policy.egress ? "," : "", policy.egress ? R"("Egress")" : "",
      rules_json(policy.from, "from"), rules_json(policy.to, "to"));
}

class RandomPolicyTest : public testkit::NamespaceTest {
 protected:
  static constexpr size_t kLocal = 4;
  static constexpr size_t kRemote = 2;

  uint64_t pick(uint64_t bound) { return random_->below(bound); }
  Map some_labels() {
    Map labels;
    if (pick(3) > 0) labels["app"] = pick(2) == 0 ? "x" : "y";
    if (pick(3) == 0) labels["tier"] = "t";
    return labels;
  }
  // As a patch: absent labels are taken away.
  static std::string as_patch(const Map& labels) {
    std::string text;
    for (const char* key : {"app", "tier"}) {
      text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", key,
                          labels.contains(key) ? "\"" + labels.at(key) + "\"" : "null");
    }
    return text;
  }
  RefPeer some_peer() {
    if (pick(5) == 0) {
      constexpr const char* kBlocks[][2] = {{"10.244.0.0/16", "10.244.2.0/24"},
                                            {"10.244.1.0/24", ""},
                                            {"fd01:0:0:2::/64", ""},
                                            {"0.0.0.0/0", "10.244.1.8/29"}};
      const auto& block = kBlocks[pick(std::size(kBlocks))];
      return {.namespaces = {}, .pods = {}, .block = block[0], .except = block[1]};
    }
    RefPeer peer;
    if (pick(2) == 0) {
      peer.namespaces = pick(3) == 0 ? Map() : Map{{"team", pick(2) == 0 ? "r" : "s"}};
    }
    if (!peer.namespaces || pick(2) == 0) peer.pods = some_labels();
    return peer;
  }
  RefPort some_port() {
    RefPort port{.protocol = pick(2) == 0 ? "TCP" : "UDP"};
    switch (pick(4)) {
      case 0:
        port.first = port.last = pick(2) == 0 ? 80 : 81;
        break;
      case 1:
        port.first = 70;
        port.last = pick(2) == 0 ? 80 : 90;
        break;
      case 2:
        port.protocol = "TCP";
        port.name = "web";
        break;
      default:
        break;
    }
    return port;
  }
  std::vector<RefRule> some_rules() {
    std::vector<RefRule> rules(pick(3));
    for (RefRule& rule : rules) {
      for (uint64_t i = pick(3); i > 0; --i) rule.peers.push_back(some_peer());
      for (uint64_t i = pick(3); i > 0; --i) rule.ports.push_back(some_port());
    }
    return rules;
  }
  RefPolicy some_policy(const std::string& name_space) {
    RefPolicy policy{.name_space = name_space, .selector = some_labels()};
    const uint64_t types = pick(4);
    policy.ingress = types != 1;
    policy.egress = types == 1 || types == 2;
    policy.from = some_rules();
    policy.to = some_rules();
    return policy;
  }

  void put_pod(size_t number) {
    RefPod& pod = reference_.pods[number];
    pod.exists = true;
    world_->put_pod(
        pod.name_space, fmt::format("p{}", number), json(pod.labels),
        {network_->address(number), network_->address(number, true)},
        number < kLocal ? "here" : "there",
        fmt::format(R"({{"name":"web","containerPort":{}}})", Reference::web_port(number)));
  }
  void begin(uint64_t seed) {
    random_ = std::make_unique<SeededRandom>(seed);
    world_ = std::make_unique<testkit::PolicyWorld>();
    reference_ = {};
    reference_.network = network_.get();
    for (const char* name : {"n0", "n1", "n2"}) {
      reference_.namespaces[name] = {{"team", pick(2) == 0 ? "r" : "s"}};
      world_->put_namespace(name, json(reference_.namespaces[name]));
    }
    for (size_t i = 0; i < kLocal + kRemote; ++i) {
      reference_.pods.push_back({fmt::format("n{}", pick(3)), some_labels()});
      put_pod(i);
    }
  }
  void change() {
    const std::string name_space = fmt::format("n{}", pick(3));
    const size_t number = pick(reference_.pods.size());
    RefPod& pod = reference_.pods[number];
    switch (pick(6)) {
      case 0: {
        Map& labels = reference_.namespaces[name_space];
        labels["team"] = pick(2) == 0 ? "r" : "s";
        world_->put_namespace(name_space, json(labels));
        break;
      }
      case 1:
        if (!pod.exists) return put_pod(number);
        pod.labels = some_labels();
        world_->label_pod(pod.name_space, fmt::format("p{}", number), as_patch(pod.labels));
        break;
      case 2:
        if (!pod.exists) return put_pod(number);
        world_->remove_pod(pod.name_space, fmt::format("p{}", number));
        pod.exists = false;
        break;
      default: {
        const std::string name = fmt::format("policy{}", pick(3));
        const std::string key = name_space + "/" + name;
        if (reference_.policies.contains(key) && pick(3) == 0) {
          reference_.policies.erase(key);
          world_->remove_policy(name_space, name);
        } else {
          reference_.policies[key] = some_policy(name_space);
          world_->put_policy(name_space, name, json(reference_.policies[key]));
        }
      }
    }
  }
  void compare() {
    std::set<Probe> expected;
    const std::vector<Probe> probes = network_->all_probes();
    for (const Probe& probe : probes) {
      if (reference_.reaches(probe, kLocal)) expected.insert(probe);
    }
    const std::set<Probe> found = network_->arriving(probes, expected);
    for (const Probe& probe : probes) {
      EXPECT_EQ(found.contains(probe), expected.contains(probe)) << probe.str();
    }
    forbidden_ += probes.size() - expected.size();
    allowed_ += expected.size();
  }

  std::unique_ptr<PodNetwork> network_;
  std::unique_ptr<SeededRandom> random_;
  std::unique_ptr<testkit::PolicyWorld> world_;
  Reference reference_;
  size_t allowed_ = 0;
  size_t forbidden_ = 0;
};

TEST_F(RandomPolicyTest, EndsInTheReachabilityOfTheReference) {
  network_ = std::make_unique<PodNetwork>(kLocal, kRemote, clock_);
  constexpr uint64_t kSequences = 30;
  for (uint64_t seed = 1; seed <= kSequences; ++seed) {
    SCOPED_TRACE(seed);
    begin(seed);
    for (int round = 0; round < 3; ++round) {
      SCOPED_TRACE(round);
      for (int i = 0; i < 6; ++i) change();
      inside(network_->node(), [&] { world_->settle(); });
      compare();
      if (HasFailure()) {
        for (const auto& [key, policy] : reference_.policies) {
          ADD_FAILURE() << key << " " << json(policy);
        }
        inside(network_->node(), [&] { ADD_FAILURE() << shell("nft list table ip proa-policy"); });
        return;
      }
    }
  }
  // Neither is the rare case.
  EXPECT_GT(forbidden_, allowed_ / 10);
  EXPECT_GT(allowed_, forbidden_ / 10);
}

}  // namespace
}  // namespace proa::policy
