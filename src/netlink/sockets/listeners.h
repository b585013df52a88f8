#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::netlink {

// A socket that waits for connections (TCP), or for datagrams of anybody (UDP).
struct Listener {
  uint8_t protocol = 0;    // IPPROTO_TCP or IPPROTO_UDP
  IpAddress address = {};  // of one family, or all of them: 0.0.0.0, ::
  uint16_t port = 0;
  bool v6_only = false;  // :: does not mean IPv4 addresses, too

  // Whether packets to this address of the machine are for it.
  bool hears(const IpAddress& to) const;
  bool operator==(const Listener&) const = default;
};

// Those of all programs in the network namespace of the calling thread. kNotFound if the kernel
// cannot tell.
Result<std::vector<Listener>> find_listeners(Clock& clock);

}  // namespace proa::netlink
