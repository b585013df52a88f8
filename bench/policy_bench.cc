// What NetworkPolicies cost: one change in the kernel by the number of policies, and how long a
// change of the API takes until it is in force. In a network namespace of its own.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/log.h"
#include "netlink/netns.h"
#include "policy/apply/kernel_rules.h"
#include "policy/objects/read_facts.h"
#include "testkit/policy/policy_world.h"

namespace proa::policy {
namespace {

constexpr uint32_t kChanges = 500;
constexpr uint32_t kLocal = 100;

std::string address(uint32_t number) {
  return fmt::format("10.{}.{}.{}", 128 + (number >> 16), number >> 8 & 255, number & 255);
}

struct Times {
  std::vector<double> all = {};

  void measure(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    all.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::string str() {
    std::sort(all.begin(), all.end());
    return fmt::format("{:.3f} ms (p99 {:.3f})", all[all.size() / 2], all[all.size() * 99 / 100]);
  }
};

uint64_t used_memory() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  file >> total >> resident;
  return resident * 4096;
}

api::LabelSelector selector(const std::string& text) {
  return api::LabelSelector::parse(text).value();
}

// Each policy has an app of its own; one of a hundred selects a pod of this node.
PolicyFacts policy(uint32_t number) {
  return {.pods = selector(fmt::format("app=a{}", number)),
          .ingress = true,
          .from = {{.peers = {PodPeer{.name_space = "n",
                                      .pods = selector(fmt::format("client=c{}", number))}},
                    .ports = {{.first = 80, .last = 80}}}}};
}

PodFacts pod(uint32_t number, bool local, uint32_t client) {
  return {.local = local,
          .labels = {{"app", fmt::format("a{}", number)}, {"client", fmt::format("c{}", client)}},
          .addresses = {*parse_ip(address(number))}};
}

// Pods from zero on are local; the policies of the same number select them.
Result<void> cost_of_changes(uint32_t policies) {
  SystemClock clock;
  KernelRules rules = TRY(KernelRules::open(kTable, "", clock));
  PolicyModel model;
  const uint64_t before = used_memory();
  constexpr uint32_t kPods = 1000;
  for (uint32_t i = 0; i < kPods; ++i) {
    model.set_pod({"n", fmt::format("p{}", i)}, pod(i, i < kLocal, i % 10));
  }
  for (uint32_t i = 0; i < policies; ++i) {
    model.set_policy({"n", fmt::format("policy-{}", i)}, policy(i));
  }
  static_cast<void>(model.take());
  Times whole;
  Result<void> done;
  whole.measure([&] { done = rules.replace(model); });
  TRY(done);
  const uint64_t after = used_memory();
  const auto change = [&](const std::function<void(uint32_t)>& what) -> Result<std::string> {
    Times times;
    for (uint32_t i = 0; i < kChanges; ++i) {
      times.measure([&] {
        what(i);
        done = rules.apply(model, model.take());
      });
      TRY(done);
    }
    return times.str();
  };
  // A client elsewhere comes and goes between two policies' peers.
  const std::string peers = TRY(change([&](uint32_t i) {
    model.set_pod({"n", "p999"}, pod(999, false, i % 10));
  }));
  // A pod of this node that a policy selects comes and goes.
  const std::string local = TRY(change([&](uint32_t i) {
    model.set_pod({"n", "new"}, i % 2 == 0 ? std::optional(pod(5000, true, 1)) : std::nullopt);
    model.set_pod({"n", "p5"}, pod(5, i % 2 == 0, 1));
  }));
  fmt::print("{:>6} policies: all {}; a peer {}; a pod of this node {}; state {:.1f} MB\n",
             policies, whole.str(), peers, local,
             static_cast<double>(after - std::min(before, after)) / 1e6);
  TRY(remove_policy_rules(kTable, clock));
  return {};
}

// As large as a request may be (3 MB): what one user of one namespace can make every node do.
struct LargePolicy {
  const char* what;
  PolicyFacts facts;
};

std::vector<LargePolicy> large_policies() {
  const PodPeer everywhere{.pods = selector("client")};
  std::vector<LargePolicy> all;
  const auto add = [&](const char* what) -> PolicyFacts& {
    all.push_back({what, {.pods = selector("app=a5"), .egress = true, .to = {{}}}});
    return all.back().facts;
  };
  PolicyFacts& blocks = add("80,000 ipBlocks");
  for (uint32_t i = 0; i < 80000; ++i) {
    blocks.to[0].peers.emplace_back(AddressPeer{*parse_prefix(address(2 * i) + "/32")});
  }
  PolicyFacts& excepts = add("an ipBlock with 100,000 exceptions");
  excepts.to[0].peers.emplace_back(AddressPeer{*parse_prefix("0.0.0.0/0")});
  for (uint32_t i = 0; i < 100000; ++i) {
    std::get<AddressPeer>(excepts.to[0].peers[0])
        .except.push_back(*parse_prefix(address(2 * i) + "/32"));
  }
  PolicyFacts& ports = add("30,000 ports");
  for (uint16_t i = 1; i <= 30000; ++i) {
    ports.to[0].ports.push_back(
        {.first = static_cast<uint16_t>(2 * i), .last = static_cast<uint16_t>(2 * i)});
  }
  PolicyFacts& names = add("50,000 named ports");
  names.to[0].peers.emplace_back(everywhere);
  for (uint32_t i = 0; i < 50000; ++i) names.to[0].ports.push_back({.name = fmt::format("p{}", i)});
  PolicyFacts& values = add("a selector with 30,000 values");
  std::string text = "client notin (x";
  for (uint32_t i = 0; i < 30000; ++i) text += fmt::format(",{}", i);
  values.to[0].peers.emplace_back(PodPeer{.pods = selector(text + ")")});
  PolicyFacts& selectors = add("100 selectors that all match everything");
  for (uint32_t i = 0; i < kMostSelectors; ++i) {
    selectors.to[0].peers.emplace_back(PodPeer{.pods = selector(fmt::format("x!=v{}", i))});
  }
  PolicyFacts& rules = add("100 rules with such selectors");
  rules.to.clear();
  for (uint16_t i = 1; i <= kMostSelectors; ++i) {
    rules.to.push_back({.peers = {PodPeer{.pods = selector(fmt::format("x!=w{}", i))}},
                        .ports = {{.first = i, .last = i}}});
  }
  return all;
}

// Until it is in force, and what it costs others while it is there.
Result<void> cost_of_large_policies() {
  SystemClock clock;
  KernelRules rules = TRY(KernelRules::open(kTable, "", clock));
  PolicyModel model;
  for (uint32_t i = 0; i < 1000; ++i) {
    model.set_pod({"n", fmt::format("p{}", i)}, pod(i, i < kLocal, i % 10));
  }
  TRY(rules.replace(model));
  static_cast<void>(model.take());
  for (LargePolicy& large : large_policies()) {
    Result<void> done;
    const auto set = [&](std::optional<PolicyFacts> facts) {
      Times times;
      times.measure([&] {
        model.set_policy({"n", "large"}, std::move(facts));
        done = rules.apply(model, model.take());
      });
      return times.str();
    };
    const uint64_t before = used_memory();
    const std::string there = set(std::move(large.facts));
    TRY(done);
    const uint64_t after = used_memory();
    Times others;
    for (uint32_t i = 0; i < kChanges; ++i) {
      others.measure([&] {
        model.set_pod({"n", "p999"}, pod(999, false, i % 10));
        done = rules.apply(model, model.take());
      });
      TRY(done);
    }
    const std::string gone = set(std::nullopt);
    TRY(done);
    fmt::print("{}: in force after {}, {:.1f} MB, gone after {}; another pod {}\n", large.what,
               there, static_cast<double>(after - std::min(before, after)) / 1e6, gone,
               others.str());
  }
  TRY(remove_policy_rules(kTable, clock));
  return {};
}

// From the call of the API until the kernel has the rules, connections included.
Result<void> time_in_force(uint32_t policies, uint32_t pods) {
  testkit::PolicyWorld world;
  world.put_namespace("n", "");
  for (uint32_t i = 0; i < pods; ++i) {
    world.put_pod("n", fmt::format("p{}", i),
                  fmt::format(R"("app":"a{}","client":"c{}")", i, i % 10), {address(i)},
                  i < kLocal ? "here" : "there");
  }
  const auto spec = [](uint32_t number, int port) {
    return fmt::format(R"({{"podSelector":{{"matchLabels":{{"app":"a{}"}}}},"ingress":[{{"from":[)"
                       R"({{"podSelector":{{"matchLabels":{{"client":"c{}"}}}}}}],)"
                       R"("ports":[{{"port":{}}}]}}]}})",
                       number, number % 10, port);
  };
  for (uint32_t i = 0; i < policies; ++i) {
    world.put_policy("n", fmt::format("policy-{}", i), spec(i, 80));
  }
  world.settle();
  const auto await = [&](const Connection& connection, bool allowed) {
    while (world.agent().model().allows(connection) != allowed) {
      world.agent().poll();
      world.agent().step();
    }
  };
  Times labels;
  Times rules;
  for (uint32_t i = 0; i < kChanges; ++i) {
    // A pod elsewhere becomes a client of pod 7, or no longer is one.
    const bool on = i % 2 == 0;
    labels.measure([&] {
      world.label_pod("n", "p900", on ? R"("client":"c7")" : R"("client":"none")");
      await({*parse_ip(address(900)), *parse_ip(address(7)), 6, 80}, on);
    });
    rules.measure([&] {
      world.put_policy("n", "policy-8", spec(8, on ? 81 : 80));
      await({*parse_ip(address(18)), *parse_ip(address(8)), 6, 81}, on);
    });
  }
  fmt::print("{} policies, {} pods: a label is in force after {}, a policy after {}\n", policies,
             pods, labels.str(), rules.str());
  return {};
}

}  // namespace
}  // namespace proa::policy

int main() {
  const auto place = proa::netlink::NetworkNamespace::create();
  if (!place.ok()) {
    fmt::print("no network namespace: {}\n", place.status().message());
    return place.is(proa::Reason::kForbidden) ? 0 : 1;
  }
  const auto done = place->run([&]() -> proa::Result<void> {
    for (const uint32_t policies : {10U, 1000U, 10000U}) {
      TRY(proa::policy::cost_of_changes(policies));
    }
    TRY(proa::policy::cost_of_large_policies());
    return proa::policy::time_in_force(1000, 1000);
  });
  if (done.ok()) return 0;
  fmt::print("failed: {}\n", done.status().message());
  return 1;
}
