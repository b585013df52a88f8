#pragma once

#include <cstdint>
#include <optional>

#include "base/net/ip_address.h"
#include "netlink/message.h"

namespace proa::netlink {

// One direction of a flow. Ports are 0 for protocols without them.
struct FlowTuple {
  IpAddress source;
  IpAddress destination;
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  bool operator==(const FlowTuple&) const = default;
};

// A flow that the kernel tracks. With DNAT, `original` has the address of the Service and
// `reply.source` that of the endpoint.
struct Flow {
  uint8_t protocol = 0;  // IPPROTO_UDP
  FlowTuple original;
  FlowTuple reply;
  uint32_t id = 0;  // distinguishes it from a later flow of the same tuple
  uint16_t zone = 0;
};

// What is given must be equal.
struct FlowFilter {
  std::optional<uint8_t> protocol = {};
  std::optional<IpAddress> original_destination = {};
  std::optional<uint16_t> original_port = {};
  std::optional<IpAddress> reply_source = {};
  std::optional<uint16_t> reply_port = {};

  bool matches(const Flow& flow) const;
};

// Messages of the kernel about flows (ctnetlink). Nullopt for those of another kind.
std::optional<Flow> read_flow(const Message& message);
// Appends the request for all flows of a family which match, as far as the kernel can tell: kernels
// before 5.8 list all of them, and addresses of IPv6 are not looked at. REQUIRES: the addresses in
// the filter are of that family.
void ask_for_flows(Batch& batch, bool v6, const FlowFilter& filter);
// Appends the removal of exactly this flow.
void remove_flow(Batch& batch, const Flow& flow);

}  // namespace proa::netlink
