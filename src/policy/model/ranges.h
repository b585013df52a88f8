#pragma once

#include <cstdint>
#include <vector>

#include "policy/model/facts.h"

// What many blocks and ports allow together, as few ranges that do not touch: found by one search,
// however many a policy lists.

namespace proa::policy {

// With both ends.
struct AddressRange {
  IpAddress first;
  IpAddress last;

  bool operator==(const AddressRange&) const = default;
};

// Ascending and apart from each other.
using AddressRanges = std::vector<AddressRange>;

// Addresses in any of the blocks that are of this family.
AddressRanges ranges_of(const std::vector<AddressPeer>& blocks, bool v6);
bool contains(const AddressRanges& ranges, const IpAddress& address);

struct PortRange {
  uint16_t first = 0;
  uint16_t last = 65535;

  bool operator==(const PortRange&) const = default;
};

// Of one protocol, ascending and apart from each other.
struct ProtocolPorts {
  uint8_t protocol = 6;  // IPPROTO_TCP
  std::vector<PortRange> ranges = {};

  bool contains(uint16_t port) const;
  bool operator==(const ProtocolPorts&) const = default;
};

// By numbers; those with names are left out. Ascending by protocol.
std::vector<ProtocolPorts> ranges_of(const std::vector<Ports>& ports);

}  // namespace proa::policy
