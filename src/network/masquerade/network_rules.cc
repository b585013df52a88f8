#include "network/masquerade/network_rules.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::network {
namespace network_rules {

constexpr Duration kPatience = std::chrono::seconds(30);
// Other programs may have very many rules.
constexpr size_t kMostRules = 256 * 1024 * 1024;
// The portmap plugin's, for all networks of a machine: the first one leads to chains of pods.
constexpr std::string_view kPorts = "CNI-HOSTPORT-DNAT";
constexpr std::string_view kShared[] = {kPorts, "CNI-HOSTPORT-SETMARK", "CNI-HOSTPORT-MASQ"};

// One line "-A CHAIN ... -j TARGET" of the table nat.
struct Rule {
  std::string_view chain = {};
  std::string_view target = {};
  std::string_view rest = {};  // behind "-A"
};

std::vector<Rule> rules_of(std::string_view saved) {
  std::vector<Rule> rules;
  bool in_nat = false;
  for (const std::string_view line : split(saved, '\n')) {
    if (line.starts_with('*')) in_nat = line == "*nat";
    if (!in_nat || !line.starts_with("-A ")) continue;
    Rule rule{.rest = line.substr(2)};
    rule.chain = line.substr(3, line.find(' ', 3) - 3);
    const size_t jump = line.rfind(" -j ");
    if (jump != std::string_view::npos) {
      const std::string_view target = line.substr(jump + 4);
      rule.target = target.substr(0, target.find(' '));
    }
    rules.push_back(rule);
  }
  return rules;
}

bool is_shared(std::string_view chain) {
  return std::find(std::begin(kShared), std::end(kShared), chain) != std::end(kShared);
}

// Plugins note in a comment whose a rule is: name: "NETWORK" id: "CONTAINER".
bool is_noted(const Rule& rule, const std::string& network) {
  return rule.rest.find("name: \\\"" + network + "\\\" id: ") != std::string_view::npos;
}

// The chains that go, with all that is in them.
std::set<std::string_view> chains_of(const std::vector<Rule>& rules, const std::string& network,
                                     std::string_view own) {
  std::set<std::string_view> chains;
  const auto add = [&chains](std::string_view chain) {
    if (chain.starts_with("CNI-") && !is_shared(chain)) chains.insert(chain);
  };
  bool ports_used = false;
  bool shared_exist = false;
  for (const Rule& rule : rules) {
    const bool noted = is_noted(rule, network);
    if (noted) {
      add(rule.chain);
      add(rule.target);
    }
    if (rule.chain == own || rule.target == own) chains.insert(own);
    ports_used = ports_used || (rule.chain == kPorts && !noted);
    shared_exist = shared_exist || is_shared(rule.chain) || is_shared(rule.target);
  }
  if (shared_exist && !ports_used) chains.insert(std::begin(kShared), std::end(kShared));
  return chains;
}

std::vector<std::string> wanted_rules(const std::string& chain, const Masquerade& masquerade,
                                      bool v6) {
  std::vector<std::string> rules;
  for (const IpPrefix& from : masquerade.from) {
    if (from.v6 == v6) rules.push_back(" " + chain + " ! -s " + from.str() + " -j RETURN");
  }
  if (rules.empty()) return rules;
  for (const IpPrefix& except : masquerade.except) {
    if (except.v6 == v6) rules.push_back(" " + chain + " -d " + except.str() + " -j RETURN");
  }
  const std::string everybody = v6 ? "ff00::/8" : "224.0.0.0/4";
  rules.push_back(" " + chain + " -d " + everybody + " -j RETURN");
  rules.push_back(" " + chain + " -j MASQUERADE");
  return rules;
}

Result<std::string> run(const std::string& name, std::string_view input, const Clock& clock) {
  const auto program = find_program(name);
  if (!program) {
    return Status(Reason::kNotFound, name + " not found; install the package iptables");
  }
  std::vector<std::string> words = {*program, "--table", "nat"};
  if (!input.empty()) words.insert(words.end(), {"--noflush", "--wait"});
  const Outcome outcome = TRY(run_to_end(words, input, clock, kPatience, kMostRules));
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError, name + " failed: " + std::string(trim(outcome.output)));
  }
  return outcome.output;
}

}  // namespace network_rules

std::string masquerade_chain(const std::string& network) { return network + "-out"; }

std::string masquerade_text(std::string_view saved, const std::string& network,
                            const Masquerade& masquerade, bool v6) {
  const std::string chain = masquerade_chain(network);
  const std::vector<std::string> wanted = network_rules::wanted_rules(chain, masquerade, v6);
  const std::string jump = " POSTROUTING -j " + chain;
  bool jumps = false;
  std::vector<std::string_view> found;
  for (const network_rules::Rule& rule : network_rules::rules_of(saved)) {
    if (rule.chain == chain) found.push_back(rule.rest);
    jumps = jumps || rule.rest == jump;
  }
  const bool same = std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
  const bool exists = saved.find("\n:" + chain + " ") != std::string_view::npos;
  if (same && jumps == !wanted.empty() && exists == !wanted.empty()) return {};
  // Naming a chain makes it, or empties it.
  std::string text = "*nat\n:" + chain + " - [0:0]\n";
  for (const std::string& rule : wanted) text += "-A" + rule + "\n";
  if (!jumps && !wanted.empty()) text += "-A" + jump + "\n";
  if (jumps && wanted.empty()) text += "-D" + jump + "\n";
  if (wanted.empty()) text += "-X " + chain + "\n";
  return text + "COMMIT\n";
}

std::string removal_text(std::string_view saved, const std::string& network) {
  const std::string own = masquerade_chain(network);
  const std::vector<network_rules::Rule> rules = network_rules::rules_of(saved);
  std::set<std::string_view> chains = network_rules::chains_of(rules, network, own);
  std::string text;
  for (const network_rules::Rule& rule : rules) {
    const bool goes = network_rules::is_noted(rule, network) || chains.contains(rule.target);
    if (goes && !chains.contains(rule.chain)) text += "-D" + std::string(rule.rest) + "\n";
  }
  std::erase_if(chains, [&](std::string_view chain) {
    return saved.find("\n:" + std::string(chain) + " ") == std::string_view::npos;
  });
  for (const std::string_view chain : chains) text += "-F " + std::string(chain) + "\n";
  for (const std::string_view chain : chains) text += "-X " + std::string(chain) + "\n";
  return text.empty() ? text : "*nat\n" + text + "COMMIT\n";
}

Result<void> set_masquerade(const std::string& network, const Masquerade& wanted, bool v6,
                            const Clock& clock) {
  const std::string name = v6 ? "ip6tables" : "iptables";
  const auto saved = network_rules::run(name + "-save", "", clock);
  // Where they can't be read (no IPv6) there are none to correct.
  const bool needed = !network_rules::wanted_rules("", wanted, v6).empty();
  if (!saved.ok() && needed) return saved.status();
  if (!saved.ok()) return {};
  const std::string text = masquerade_text(*saved, network, wanted, v6);
  if (!text.empty()) TRY(network_rules::run(name + "-restore", text, clock));
  return {};
}

Result<void> remove_network_rules(const std::string& network, const Clock& clock) {
  for (const std::string name : {"iptables", "ip6tables"}) {
    const auto saved = network_rules::run(name + "-save", "", clock);
    // Where they can't be read (no such program, no IPv6) none were made.
    if (!saved.ok()) continue;
    const std::string text = removal_text(*saved, network);
    if (!text.empty()) TRY(network_rules::run(name + "-restore", text, clock));
  }
  return {};
}

}  // namespace proa::network
