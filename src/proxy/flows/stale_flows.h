#pragma once

#include <map>
#include <span>
#include <vector>

#include "proxy/rules.h"

namespace proa::proxy {

// A tracked flow of UDP, as its first packet came, and where its answers come from.
struct Flow {
  IpAddress destination;
  uint16_t destination_port = 0;
  IpAddress answerer;
  uint16_t answerer_port = 0;
};

// Which flows of UDP go to the wrong place since ports of Services changed. The kernel translates
// the packets of a known flow as it did the first one, and UDP has no end: without a removal, a
// client that goes on sending never reaches the new endpoint.
class StaleFlows {
 public:
  // Ports of one family. Others than of UDP are ignored, and those without endpoints: there is
  // nowhere to send their flows.
  StaleFlows(Family family, std::span<const ServicePortPtr> ports);

  // No port of UDP is among them.
  bool empty() const { return addresses_.empty(); }
  bool contains(const Flow& flow) const;

 private:
  using Place = std::pair<IpAddress, uint16_t>;

  std::map<Place, ServicePortPtr> addresses_;
  std::map<uint16_t, ServicePortPtr> node_ports_;
};

// Removes flows that are tracked by the kernel. A seam, for tests.
class FlowTable {
 public:
  virtual ~FlowTable() = default;
  // Returns how many were removed.
  virtual Result<size_t> remove(Family family, const StaleFlows& stale) = 0;
};

}  // namespace proa::proxy
