#pragma once

#include <memory>

#include "base/clock.h"
#include "proxy/rules.h"

namespace proa::proxy::iptables {

// Whether the programs are installed; says which one is not.
Result<void> check_programs();

// Rules by the programs iptables-save and iptables-restore, of either kernel interface. A change
// sends the chains of the ports that changed, and of shared chains the rules that differ.
// REQUIRES: the clock outlives it.
std::unique_ptr<Rules> make_rules(const Clock& clock);

// Removes chains of kube-proxy, which are those of this mode, whoever wrote them. False if there
// are none, or no program to list them.
Result<bool> remove_chains(const Clock& clock);

}  // namespace proa::proxy::iptables
