#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace proa::kubelet {

// Masquerades traffic that pods send out of their network: one rule for all of them, in a chain of
// our own. (CNI's bridge plugin would add rules for every pod, which is slow, and leak them when it
// is killed.)
Result<void> set_masquerade(const std::string& network, const std::string& pod_cidr,
                            const Clock& clock);

// Removes that, and what CNI's portmap plugin left of this network; and its shared chains if no
// other network uses them.
Result<void> remove_network_rules(const std::string& network, const Clock& clock);

// Pure: the input for iptables-restore; empty if there is nothing to do. `saved`: the output of
// iptables-save.
std::string masquerade_text(std::string_view saved, const std::string& network,
                            const std::string& pod_cidr);
std::string removal_text(std::string_view saved, const std::string& network);

}  // namespace proa::kubelet
