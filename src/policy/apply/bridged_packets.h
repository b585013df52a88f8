#pragma once

#include "base/clock.h"
#include "base/result.h"

namespace proa::policy {

// Lets packets between pods of this node pass the rules, though the bridge does not route them:
// settings of the network namespace (net.bridge.bridge-nf-call-*), which the kernel has once its
// module br_netfilter is loaded. Services need them, too: without, an endpoint on the caller's node
// answers past the rules that translate its address back.
Result<void> filter_bridged_packets(const Clock& clock);

}  // namespace proa::policy
