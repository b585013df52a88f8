#include "network/forward/forward_text.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "network/iptables/iptables.h"

namespace proa::network {
namespace forward_text_unit {

constexpr int kDnsPort = 53;
// Chains lead to each other without loops; this many levels suffice to find what drops all.
constexpr int kMostLevels = 8;

IpPrefix parent_of(const IpPrefix& prefix) {
  IpPrefix parent = prefix;
  --parent.bits;
  parent.address = parent.base();
  return parent;
}

bool are_halves(const IpPrefix& a, const IpPrefix& b) {
  return a.bits == b.bits && a.bits > 0 && parent_of(a).base() == parent_of(b).base();
}

std::vector<IpPrefix> of_family(std::vector<IpPrefix> ranges, bool v6) {
  std::erase_if(ranges, [&](const IpPrefix& range) { return range.v6 != v6; });
  return merge_ranges(std::move(ranges));
}

// As iptables-save prints them, without "-A", here and below. What comes from outside with the
// address of a pod is not let through by that address: only answers are.
std::vector<std::string> forward_rules(const std::string& bridge, const Forwarding& wanted,
                                       bool v6) {
  const std::string chain = " " + own_chain(bridge, Hook::kForward);
  std::vector<std::string> rules;
  const std::vector<IpPrefix> own = of_family(wanted.own, v6);
  if (own.empty()) return rules;
  for (const IpPrefix& range : own) {
    rules.push_back(chain + " -s " + range.str() + " -i " + bridge + " -j ACCEPT");
  }
  const std::vector<IpPrefix> pods = of_family(wanted.pods, v6);
  for (const IpPrefix& range : pods) rules.push_back(chain + " -d " + range.str() + " -j ACCEPT");
  // Of pods on other nodes, to clients of a node port here.
  for (const IpPrefix& range : pods) {
    rules.push_back(chain + " -s " + range.str() +
                    " -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT");
  }
  return rules;
}

// Pods of this node ask its DNS; everything else that they send to this machine is not ours.
std::vector<std::string> input_rules(const std::string& bridge, const Forwarding& wanted, bool v6) {
  const std::string chain = " " + own_chain(bridge, Hook::kInput);
  std::vector<std::string> rules;
  for (const IpPrefix& range : of_family(wanted.own, v6)) {
    for (const IpAddress& address : wanted.dns) {
      if (address.is_v4() == v6) continue;
      for (const std::string protocol : {"udp", "tcp"}) {
        rules.push_back(chain + " -s " + range.str() + " -d " + address.str() +
                        (v6 ? "/128" : "/32") + " -i " + bridge + " -p " + protocol + " -m " +
                        protocol + " --dport " + std::to_string(kDnsPort) + " -j ACCEPT");
      }
    }
  }
  return rules;
}

std::vector<std::string> wanted_rules(const std::string& bridge, const Forwarding& wanted, bool v6,
                                      Hook hook) {
  return hook == Hook::kForward ? forward_rules(bridge, wanted, v6)
                                : input_rules(bridge, wanted, v6);
}

bool is_for_all(const SavedRule& rule) {
  return rule.rest.substr(1 + rule.chain.size()).starts_with(" -j ");
}

// Whether all packets that reach this rule are dropped by it, or by the chain that it leads to.
bool drops_all(const std::vector<SavedRule>& rules, const SavedRule& rule, int levels) {
  if (!is_for_all(rule) || levels == 0) return false;
  if (rule.target == "DROP" || rule.target == "REJECT") return true;
  return std::ranges::any_of(rules, [&](const SavedRule& inner) {
    return inner.chain == rule.target && drops_all(rules, inner, levels - 1);
  });
}

// Numbers of rules of the hook's chain, from one on.
struct Places {
  size_t count = 0;
  std::optional<size_t> jump = {};       // to our chain
  std::optional<size_t> drops_all = {};  // the first that does
};

Places places_of(const std::vector<SavedRule>& rules, std::string_view chain,
                 const std::string& jump) {
  Places places;
  for (const SavedRule& rule : rules) {
    if (rule.chain != chain) continue;
    ++places.count;
    if (!places.jump && rule.rest == jump) places.jump = places.count;
    if (!places.drops_all && drops_all(rules, rule, kMostLevels)) places.drops_all = places.count;
  }
  return places;
}

}  // namespace forward_text_unit

std::vector<IpPrefix> merge_ranges(std::vector<IpPrefix> ranges) {
  using namespace forward_text_unit;  // NOLINT: this unit's own
  std::ranges::sort(ranges, [](const IpPrefix& a, const IpPrefix& b) {
    return std::tuple(a.v6, a.base(), a.bits) < std::tuple(b.v6, b.base(), b.bits);
  });
  std::vector<IpPrefix> merged;
  for (const IpPrefix& range : ranges) {
    if (!merged.empty() && overlap(merged.back(), range)) continue;  // the larger one came first
    merged.push_back(range);
    while (merged.size() > 1 && are_halves(merged[merged.size() - 2], merged.back())) {
      merged.pop_back();
      merged.back() = parent_of(merged.back());
    }
  }
  return merged;
}

std::string_view hook_name(Hook hook) { return hook == Hook::kForward ? "FORWARD" : "INPUT"; }

std::string own_chain(const std::string& bridge, Hook hook) {
  return bridge + (hook == Hook::kForward ? "-forward" : "-input");
}

bool has_hook(std::string_view saved, Hook hook) { return has_saved_chain(saved, hook_name(hook)); }

std::string own_rules_of(std::string_view saved, const std::string& bridge, Hook hook) {
  const std::string chain = own_chain(bridge, hook);
  std::string text;
  for (const SavedRule& rule : saved_rules(saved, "filter")) {
    if (rule.chain == chain) text += std::string(rule.rest) + "\n";
  }
  return text;
}

std::string forward_text(std::string_view saved, const std::string& bridge,
                         const Forwarding& wanted, bool v6, std::string_view known, Hook hook) {
  using namespace forward_text_unit;  // NOLINT: this unit's own
  const std::string from(hook_name(hook));
  const std::string chain = own_chain(bridge, hook);
  const std::string target = " -j " + chain;
  const std::vector<SavedRule> rules = saved_rules(saved, "filter");
  const Places places = places_of(rules, from, " " + from + target);
  std::string body;
  for (const std::string& rule : wanted_rules(bridge, wanted, v6, hook)) body += rule + "\n";
  const bool exists = has_saved_chain(saved, chain);
  const std::string removal = "-D " + from + target + "\n";
  if (body.empty()) {
    if (!exists) return {};
    return "*filter\n" + (places.jump ? removal : "") + "-F " + chain + "\n-X " + chain +
           "\nCOMMIT\n";
  }
  const std::string found = own_rules_of(saved, bridge, hook);
  const bool same = exists && (found == body || (!known.empty() && found == known));
  const bool reached = places.jump && (!places.drops_all || *places.jump < *places.drops_all);
  if (same && reached) return {};
  std::string text = "*filter\n";
  if (!same) {
    // Naming a chain makes it, or empties it.
    text += ":" + chain + " - [0:0]\n";
    for (const std::string& rule : wanted_rules(bridge, wanted, v6, hook)) {
      text += "-A" + rule + "\n";
    }
  }
  if (!reached) {
    if (places.jump) text += removal;
    text += places.drops_all
                ? "-I " + from + " " + std::to_string(*places.drops_all) + target + "\n"
                : "-A " + from + target + "\n";
  }
  return text + "COMMIT\n";
}

}  // namespace proa::network
