#include "network/masquerade/network_rules.h"

#include <algorithm>
#include <set>
#include <vector>

#include "network/iptables/iptables.h"

namespace proa::network {
namespace network_rules {

constexpr const char* kTable = "nat";
// The portmap plugin's, for all networks of a machine: the first one leads to chains of pods.
constexpr std::string_view kPorts = "CNI-HOSTPORT-DNAT";
constexpr std::string_view kShared[] = {kPorts, "CNI-HOSTPORT-SETMARK", "CNI-HOSTPORT-MASQ"};

bool is_shared(std::string_view chain) {
  return std::find(std::begin(kShared), std::end(kShared), chain) != std::end(kShared);
}

// Plugins note in a comment whose a rule is: name: "NETWORK" id: "CONTAINER".
bool is_noted(const SavedRule& rule, const std::string& network) {
  return rule.rest.find("name: \\\"" + network + "\\\" id: ") != std::string_view::npos;
}

// The chains that go, with all that is in them.
std::set<std::string_view> chains_of(const std::vector<SavedRule>& rules,
                                     const std::string& network, std::string_view own) {
  std::set<std::string_view> chains;
  const auto add = [&chains](std::string_view chain) {
    if (chain.starts_with("CNI-") && !is_shared(chain)) chains.insert(chain);
  };
  bool ports_used = false;
  bool shared_exist = false;
  for (const SavedRule& rule : rules) {
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

}  // namespace network_rules

std::string masquerade_chain(const std::string& network) { return network + "-out"; }

std::string masquerade_text(std::string_view saved, const std::string& network,
                            const Masquerade& masquerade, bool v6) {
  const std::string chain = masquerade_chain(network);
  const std::vector<std::string> wanted = network_rules::wanted_rules(chain, masquerade, v6);
  const std::string jump = " POSTROUTING -j " + chain;
  bool jumps = false;
  std::vector<std::string_view> found;
  for (const SavedRule& rule : saved_rules(saved, network_rules::kTable)) {
    if (rule.chain == chain) found.push_back(rule.rest);
    jumps = jumps || rule.rest == jump;
  }
  const bool same = std::equal(found.begin(), found.end(), wanted.begin(), wanted.end());
  const bool exists = has_saved_chain(saved, chain);
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
  const std::vector<SavedRule> rules = saved_rules(saved, network_rules::kTable);
  std::set<std::string_view> chains = network_rules::chains_of(rules, network, own);
  std::string text;
  for (const SavedRule& rule : rules) {
    const bool goes = network_rules::is_noted(rule, network) || chains.contains(rule.target);
    if (goes && !chains.contains(rule.chain)) text += "-D" + std::string(rule.rest) + "\n";
  }
  std::erase_if(chains, [&](std::string_view chain) { return !has_saved_chain(saved, chain); });
  for (const std::string_view chain : chains) text += "-F " + std::string(chain) + "\n";
  for (const std::string_view chain : chains) text += "-X " + std::string(chain) + "\n";
  return text.empty() ? text : "*nat\n" + text + "COMMIT\n";
}

Result<void> set_masquerade(const std::string& network, const Masquerade& wanted, bool v6,
                            const Clock& clock) {
  const std::string name = v6 ? "ip6tables" : "iptables";
  const auto saved = run_iptables(name + "-save", network_rules::kTable, "", clock);
  // Where they can't be read (no IPv6) there are none to correct.
  const bool needed = !network_rules::wanted_rules("", wanted, v6).empty();
  if (!saved.ok() && needed) return saved.status();
  if (!saved.ok()) return {};
  const std::string text = masquerade_text(*saved, network, wanted, v6);
  if (!text.empty()) TRY(run_iptables(name + "-restore", network_rules::kTable, text, clock));
  return {};
}

Result<void> remove_network_rules(const std::string& network, const Clock& clock) {
  for (const std::string name : {"iptables", "ip6tables"}) {
    const auto saved = run_iptables(name + "-save", network_rules::kTable, "", clock);
    // Where they can't be read (no such program, no IPv6) none were made.
    if (!saved.ok()) continue;
    const std::string text = removal_text(*saved, network);
    if (!text.empty()) TRY(run_iptables(name + "-restore", network_rules::kTable, text, clock));
  }
  return {};
}

}  // namespace proa::network
