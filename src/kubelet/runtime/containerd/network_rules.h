#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace proa::kubelet {

// What pods send beyond their network leaves in the name of the node: one rule for all of them, in
// a chain of our own. (CNI's bridge plugin would make some for every pod, which takes time, and
// loses them when it is killed.)
Result<void> set_masquerade(const std::string& network, const std::string& pod_cidr,
                            const Clock& clock);

// Takes that away, with what CNI's portmap plugin left of this network; and its chains for all
// networks when nobody else uses them.
Result<void> remove_network_rules(const std::string& network, const Clock& clock);

// Pure: what iptables-restore takes; empty when there is nothing to do. `saved`: what iptables-save
// prints.
std::string masquerade_text(std::string_view saved, const std::string& network,
                            const std::string& pod_cidr);
std::string removal_text(std::string_view saved, const std::string& network);

}  // namespace proa::kubelet
