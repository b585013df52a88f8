#pragma once

#include "base/clock.h"
#include "lab/plan/plan.h"
#include "netlink/netns.h"

namespace proa::lab {

// Makes the switch of this thread's network namespace: a bridge unless the plan is routed, and
// forwarding between its ports.
Result<void> wire_switch(const Plan& plan, Clock& clock);

// Connects this thread's network namespace with the switch. An older port of the same machine is
// replaced.
Result<void> wire_machine(const Machine& machine, const netlink::NetworkNamespace& of_switch,
                          Clock& clock);

}  // namespace proa::lab
