#pragma once

#include <optional>

#include "netlink/conntrack/conntrack.h"
#include "proxy/flows/stale_flows.h"

namespace proa::proxy {

// The flows of the network namespace of the thread that uses it first. For one thread. REQUIRES:
// the clock outlives it.
class KernelFlows final : public FlowTable {
 public:
  explicit KernelFlows(Clock& clock) : clock_(clock) {}
  Result<size_t> remove(Family family, const StaleFlows& stale) override;

 private:
  Clock& clock_;
  std::optional<netlink::Conntrack> flows_;
};

}  // namespace proa::proxy
