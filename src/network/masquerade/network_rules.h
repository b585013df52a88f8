#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "network/masquerade/masquerade_table.h"

namespace proa::network {

// The chain in which these rules are.
std::string masquerade_chain(const std::string& network);

// By iptables(8), for one family: one rule for all pods, in a chain of our own.
Result<void> set_masquerade(const std::string& network, const Masquerade& wanted, bool v6,
                            const Clock& clock);

// Removes that, and what CNI's portmap plugin left of this network; and its shared chains if no
// other network uses them.
Result<void> remove_network_rules(const std::string& network, const Clock& clock);

// Pure: the input for iptables-restore; empty if there is nothing to do. `saved`: the output of
// iptables-save.
std::string masquerade_text(std::string_view saved, const std::string& network,
                            const Masquerade& wanted, bool v6);
std::string removal_text(std::string_view saved, const std::string& network);

}  // namespace proa::network
