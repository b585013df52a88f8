#include "proxy/nftables/table_state.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/strings.h"
#include "netlink/nft/print.h"
#include "testkit/golden.h"
#include "testkit/proxy/service_text.h"

namespace proa::proxy::nftables {
namespace {

using testkit::parse_node_facts;
using testkit::parse_service_port;

// "+ service-ips 10.0.0.1 . tcp . 80 : 0x00000001"
std::string print_change(Family family, const TableChange& change) {
  std::vector<std::string> lines;
  const nft::Family nft_family = table_of(family).family;
  for (size_t id = 0; id < kSets; ++id) {
    const nft::Set& set = set_of(static_cast<SetId>(id));
    for (const nft::Element& element : change.sets[id].removed) {
      lines.push_back(fmt::format("- {} {}", set.name, print(nft_family, set, element)));
    }
    for (const nft::Element& element : change.sets[id].added) {
      lines.push_back(fmt::format("+ {} {}", set.name, print(nft_family, set, element)));
    }
  }
  for (const nft::Chain& chain : change.new_chains) {
    std::string line = "+ chain " + chain.name;
    for (const nft::Rule& rule : chain.rules) line += "\n    " + print(nft_family, rule);
    lines.push_back(line);
  }
  for (const UnusedChain& chain : change.unused_chains) {
    std::string line = "- chain " + chain.name;
    if (chain.verdict) {
      const nft::Set& set = set_of(chain.verdict->set);
      line += "\n    " + set.name + " " + print(nft_family, set, chain.verdict->element);
    }
    lines.push_back(line);
  }
  for (const Memory& memory : change.forgotten) {
    const nft::Set& set = set_of(SetId::kAffinity);
    const nft::Set port{"", {set.key.begin() + 1, set.key.end()}, set.values, set.value};
    lines.push_back("forget " + print(nft_family, port, {memory.key, memory.endpoint}));
  }
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n");
}

// Commands: node FACTS (begins anew), service TEXT, delete NAME FAMILY, table.
class Script {
 public:
  explicit Script(Family family) : state_(family) {}

  std::string run(std::string_view command) {
    const auto words = split_once(command, ' ');
    if (command == "table") return print(state_.table());
    if (words->before == "node") {
      ports_.clear();
      state_.assign(parse_node_facts(words->after), {});
      return "";
    }
    Change change;
    if (words->before == "service") {
      change.after = parse_service_port(words->after);
      change.before = std::exchange(ports_[change.after->name], change.after);
    } else {
      const auto found = std::find_if(ports_.begin(), ports_.end(), [&](const auto& one) {
        return one.first.str() == words->after;
      });
      change.before = found->second;
      ports_.erase(found);
    }
    return print_change(state_.family(), state_.change(std::span(&change, 1)));
  }

 private:
  TableState state_;
  std::map<ServicePortName, ServicePortPtr> ports_;
};

void run_script(Family family, const char* name) {
  Script script(family);
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata" / name,
                      [&](std::string_view command) { return script.run(command); });
}

TEST(TableState, WritesServicesAsElements) { run_script(Family::kV4, "services4.txt"); }

TEST(TableState, WritesServicesOfIpv6) { run_script(Family::kV6, "services6.txt"); }

TEST(TableState, HasConstantRules) { run_script(Family::kV4, "tables.txt"); }

// A port of a Service, of few possible ones, so that claims collide.
ServicePortPtr random_port(Random& random, size_t service, const std::string& v6) {
  std::string text =
      fmt::format("default/s{} {} cluster={}", service, random.below(4) == 0 ? "udp" : "tcp",
                  v6.empty() ? fmt::format("10.96.0.{}:80", random.below(6))
                             : fmt::format("[fd00::{}]:80", random.below(6)));
  const auto address = [&](int net) {
    return v6.empty() ? fmt::format("10.{}.0.{}", net, random.below(4))
                      : fmt::format("fd00:{}::{}", net, random.below(4) + 1);
  };
  if (random.below(3) == 0) text += fmt::format(" nodeport={}", 30000 + random.below(5));
  if (random.below(4) == 0) text += " external=" + address(7);
  if (random.below(4) == 0) text += " balancer=" + address(8);
  if (random.below(3) == 0) text += v6.empty() ? " sources=10.0.0.0/8" : " sources=fd00::/16";
  if (random.below(3) == 0) text += fmt::format(" affinity={}", 10 + random.below(2));
  if (random.below(3) == 0) text += " internal-local";
  if (random.below(3) == 0) text += " external-local";
  if (const size_t count = random.below(5); count > 0) {
    std::vector<std::string> endpoints;
    for (size_t i = 0; i < count; ++i) {
      endpoints.push_back(v6.empty() ? fmt::format("10.244.{}.{}:8080", random.below(2), i + 1)
                                     : fmt::format("[fd00:244::{}]:8080", i + 1));
      if (random.below(2) == 0) endpoints.back() += "*";
    }
    text += " endpoints=" + join(endpoints, ",");
  }
  return parse_service_port(text);
}

// Elements of a table as text, with its chains.
std::string text_of(const TableState& state) { return print(state.table()); }

// Applies a change to a table, as the kernel does: strictly.
void apply_to(nft::Table& table, const TableChange& change) {
  for (const nft::Chain& chain : change.new_chains) table.chains.push_back(chain);
  for (size_t id = 0; id < kSets; ++id) {
    std::vector<nft::Element>& elements = table.sets[id].elements;
    for (const nft::Element& element : change.sets[id].removed) {
      const auto found = std::find(elements.begin(), elements.end(), element);
      ASSERT_NE(found, elements.end());
      elements.erase(found);
    }
    for (const nft::Element& element : change.sets[id].added) {
      ASSERT_TRUE(std::none_of(elements.begin(), elements.end(),
                               [&](const nft::Element& one) { return one.key == element.key; }));
      elements.push_back(element);
    }
  }
  for (const UnusedChain& unused : change.unused_chains) {
    std::erase_if(table.chains, [&](const nft::Chain& chain) { return chain.name == unused.name; });
    if (!unused.verdict) continue;
    std::erase(table.sets[static_cast<size_t>(unused.verdict->set)].elements,
               unused.verdict->element);
  }
  std::sort(table.chains.begin() + static_cast<ptrdiff_t>(fixed_chains(Family::kV4, {}).size()),
            table.chains.end(),
            [](const nft::Chain& a, const nft::Chain& b) { return a.name < b.name; });
}

void check_random_changes(Family family, uint64_t seed) {
  SCOPED_TRACE(seed);
  SeededRandom random(seed);
  const std::string v6 = family == Family::kV6 ? "6" : "";
  const NodeFacts node = parse_node_facts("pods=10.244.0.0/16,fd00:244::/64");
  TableState state(family);
  state.assign(node, {});
  nft::Table table = state.table();
  std::map<size_t, ServicePortPtr> ports;
  for (int step = 0; step < 60; ++step) {
    std::map<size_t, Change> changes;
    for (size_t i = 0, count = 1 + random.below(3); i < count; ++i) {
      const size_t service = random.below(8);
      if (changes.contains(service)) continue;
      Change change{ports[service], nullptr};
      if (change.before == nullptr || random.below(4) > 0) {
        change.after = random_port(random, service, v6);
        // The name has the protocol: another one is another port.
        if (change.before && change.before->name != change.after->name) change.after = nullptr;
      }
      ports[service] = change.after;
      changes[service] = change;
    }
    std::vector<Change> list;
    for (const auto& [service, change] : changes) list.push_back(change);
    apply_to(table, state.change(list));
    TableState fresh(family);
    std::vector<ServicePortPtr> all;
    for (const auto& [service, port] : ports) {
      if (port != nullptr) all.push_back(port);
    }
    fresh.assign(node, all);
    ASSERT_EQ(text_of(fresh), text_of(state)) << "step " << step;
    ASSERT_EQ(text_of(fresh), print(table)) << "step " << step;
  }
}

TEST(TableState, ChangesAddUpToAFreshState) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_NO_FATAL_FAILURE(check_random_changes(Family::kV4, seed));
    ASSERT_NO_FATAL_FAILURE(check_random_changes(Family::kV6, seed));
  }
}

}  // namespace
}  // namespace proa::proxy::nftables
