#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/result.h"
#include "netlink/socket.h"

namespace proa::netlink {

using WireguardKey = std::array<uint8_t, 32>;
// In base64, as wg(8) writes keys.
std::string key_text(const WireguardKey& key);
std::optional<WireguardKey> parse_key(std::string_view text);

// Another machine of a WireGuard network.
struct WireguardPeer {
  WireguardKey key = {};  // its public one
  std::optional<IpAddress> endpoint = {};
  uint16_t port = 0;
  std::vector<IpPrefix> allowed = {};  // what is sent to it, and accepted from it
  bool operator==(const WireguardPeer&) const = default;
};

// The configuration of a device.
struct WireguardDevice {
  WireguardKey private_key = {};
  uint16_t port = 0;
  std::vector<WireguardPeer> peers = {};
  bool operator==(const WireguardDevice&) const = default;
};

// Pure: the messages that bring device `name` from `before` to `after`; none if they are equal.
// Peers that stay keep their sessions. `family`: the number of the subsystem.
void write_difference(Batch& batch, uint16_t family, const std::string& name,
                      const WireguardDevice& before, const WireguardDevice& after);
// Adds what a message of the kernel says to a device: one that has many peers takes several.
void read_device(const Message& message, WireguardDevice& device);

// Configures WireGuard devices, which are made as links, of one network namespace: that of the
// thread which opens it. Used by one thread at a time.
class Wireguard {
 public:
  // kNotFound if the kernel has no WireGuard. REQUIRES: `clock` outlives it.
  static Result<Wireguard> open(Clock& clock);

  Result<WireguardDevice> device(const std::string& name);
  // Sends what differs. Returns the number of messages that it took.
  Result<size_t> configure(const std::string& name, const WireguardDevice& wanted);

 private:
  Wireguard(Socket socket, uint16_t family, Clock& clock)
      : socket_(std::move(socket)), family_(family), clock_(&clock) {}
  Until soon() const;

  Socket socket_;
  uint16_t family_;
  Clock* clock_;
};

}  // namespace proa::netlink
