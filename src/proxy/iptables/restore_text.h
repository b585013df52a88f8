#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "proxy/iptables/port_rules.h"
#include "proxy/rules.h"

// Input of iptables-restore --noflush, which leaves alone all chains that it does not name, and
// changes each table in one step.

namespace proa::proxy::iptables {

// What iptables-save printed of a table.
struct SavedTable {
  std::set<std::string, std::less<>> chains;
  std::set<std::string, std::less<>>
      rules;  // "INPUT -j KUBE-FIREWALL": of chains that are not ours

  static SavedTable read(std::string_view text);
};

struct Saved {
  SavedTable filter;
  SavedTable nat;
  SavedTable mangle;
};

// Everything of one family, whatever the tables have now: shared chains with the jumps to them,
// chains of all ports. Chains of ports that are gone are removed.
std::string whole_text(Family family, const NodeFacts& node, std::span<const ServicePortPtr> ports,
                       const RuleOptions& options, const Saved& saved);

// Numbers of rules.
struct RuleCounts {
  int64_t filter = 0;
  int64_t nat = 0;

  bool operator==(const RuleCounts&) const = default;
};
// Those that the text writes into our chains.
RuleCounts rules_in(std::string_view text);

struct ChangeText {
  std::string text;  // empty if nothing differs
  RuleCounts more;   // how many more rules there are afterwards; negative: less
};
// What differs. Deleting a rule that is not there makes iptables-restore fail without a change.
ChangeText change_text(Family family, const NodeFacts& node, std::span<const Change> changes,
                       const RuleOptions& options);

// The most that iptables-restore may take for this input, on a machine that has other things to do.
Duration time_to_restore(std::string_view text);

// Removes everything that is ours. Empty if there is nothing.
std::string removal_text(const Saved& saved);

}  // namespace proa::proxy::iptables
