#pragma once

#include <cstdint>

#include "netlink/nft/ruleset.h"

// Where the kernel finds fields in packets.

namespace proa::netlink::nft {

constexpr uint32_t kDestinationPortOffset = 2;

// The part of a header: where it is, and how long.
struct Range {
  uint32_t base;
  uint32_t offset;
  uint32_t length;
};
// REQUIRES: the field is in a header, not what the kernel knows about the packet.
Range range_of(Family family, Field field);

// In tables of bridges: which frames have the field; 0: all.
uint16_t ether_type_of(Field field);

}  // namespace proa::netlink::nft
