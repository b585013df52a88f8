#include "netlink/wireguard/wireguard.h"

#include <arpa/inet.h>
#include <linux/genetlink.h>
#include <linux/wireguard.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "base/encoding.h"

namespace proa::netlink {
namespace wireguard {

constexpr Duration kPatience = std::chrono::seconds(10);
// A message of the kernel's subsystem has at most 64 KiB in an attribute; a peer with ranges of two
// families takes about 150 bytes.
constexpr size_t kMostBytesOfList = 32 * 1024;

std::string_view bytes_of(const WireguardKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

std::optional<WireguardKey> key_of(std::string_view bytes) {
  WireguardKey key;
  if (bytes.size() != key.size()) return std::nullopt;
  std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

void write_endpoint(Batch& batch, const IpAddress& address, uint16_t port) {
  if (address.is_v4()) {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    std::memcpy(&where.sin_addr, address.bytes.data() + 12, 4);
    batch.raw(WGPEER_A_ENDPOINT, where);
    return;
  }
  sockaddr_in6 where{};
  where.sin6_family = AF_INET6;
  where.sin6_port = htons(port);
  std::memcpy(&where.sin6_addr, address.bytes.data(), 16);
  batch.raw(WGPEER_A_ENDPOINT, where);
}

void read_endpoint(const Attribute& attribute, WireguardPeer& peer) {
  if (const auto v4 = attribute.as<sockaddr_in>(); v4 && v4->sin_family == AF_INET) {
    IpAddress address;
    address.bytes[10] = address.bytes[11] = 0xff;
    std::memcpy(address.bytes.data() + 12, &v4->sin_addr, 4);
    peer.endpoint = address;
    peer.port = ntohs(v4->sin_port);
  }
  if (const auto v6 = attribute.as<sockaddr_in6>(); v6 && v6->sin6_family == AF_INET6) {
    IpAddress address;
    std::memcpy(address.bytes.data(), &v6->sin6_addr, 16);
    peer.endpoint = address;
    peer.port = ntohs(v6->sin6_port);
  }
}

void write_allowed(Batch& batch, const IpPrefix& range) {
  const Batch::Nest nest = batch.nest(0);
  batch.number(WGALLOWEDIP_A_FAMILY, static_cast<uint16_t>(range.v6 ? AF_INET6 : AF_INET));
  batch.address(WGALLOWEDIP_A_IPADDR, range.base());
  batch.number(WGALLOWEDIP_A_CIDR_MASK, static_cast<uint8_t>(range.bits));
}

void write_peer(Batch& batch, const WireguardPeer& peer) {
  const Batch::Nest nest = batch.nest(0);
  batch.bytes(WGPEER_A_PUBLIC_KEY, bytes_of(peer.key));
  batch.number(WGPEER_A_FLAGS, static_cast<uint32_t>(WGPEER_F_REPLACE_ALLOWEDIPS));
  if (peer.endpoint) write_endpoint(batch, *peer.endpoint, peer.port);
  const Batch::Nest allowed = batch.nest(WGPEER_A_ALLOWEDIPS);
  for (const IpPrefix& range : peer.allowed) write_allowed(batch, range);
}

void write_removal(Batch& batch, const WireguardKey& key) {
  const Batch::Nest nest = batch.nest(0);
  batch.bytes(WGPEER_A_PUBLIC_KEY, bytes_of(key));
  batch.number(WGPEER_A_FLAGS, static_cast<uint32_t>(WGPEER_F_REMOVE_ME));
}

WireguardPeer read_peer(const Attributes& attributes, const WireguardKey& key) {
  WireguardPeer peer{.key = key};
  read_endpoint(attributes.find(WGPEER_A_ENDPOINT), peer);
  for (const Attribute& one : attributes.find(WGPEER_A_ALLOWEDIPS).nested()) {
    const Attributes range = one.nested();
    const auto address = range.find(WGALLOWEDIP_A_IPADDR).address();
    const auto bits = range.find(WGALLOWEDIP_A_CIDR_MASK).number();
    if (!address || !bits || *bits > 128) continue;
    peer.allowed.push_back({.address = *address,
                            .bits = static_cast<unsigned>(*bits),
                            .v6 = range.find(WGALLOWEDIP_A_FAMILY).number() == AF_INET6});
  }
  return peer;
}

const WireguardPeer* find_peer(const WireguardDevice& device, const WireguardKey& key) {
  const auto found = std::ranges::find(device.peers, key, &WireguardPeer::key);
  return found == device.peers.end() ? nullptr : &*found;
}

// The kernel lists ranges in an order of its own.
bool same_peer(WireguardPeer a, WireguardPeer b) {
  const auto by_address = [](const IpPrefix& x, const IpPrefix& y) {
    return std::tuple(x.base(), x.bits) < std::tuple(y.base(), y.bits);
  };
  std::ranges::sort(a.allowed, by_address);
  std::ranges::sort(b.allowed, by_address);
  return a == b;
}

void begin(Batch& batch, uint16_t family, uint8_t command, const std::string& name) {
  batch.begin(family, 0, genlmsghdr{.cmd = command, .version = WG_GENL_VERSION, .reserved = 0});
  batch.text(WGDEVICE_A_IFNAME, name);
}

Result<uint16_t> find_family(Socket& socket, const Until& until) {
  Batch batch;
  batch.begin(GENL_ID_CTRL, 0, genlmsghdr{.cmd = CTRL_CMD_GETFAMILY, .version = 1, .reserved = 0});
  batch.text(CTRL_ATTR_FAMILY_NAME, WG_GENL_NAME);
  std::optional<uint64_t> number;
  const auto asked = socket.request(batch, until, [&](const Message& message) -> Result<void> {
    number = message.attributes<genlmsghdr>().find(CTRL_ATTR_FAMILY_ID).number();
    return {};
  });
  const Status missing(Reason::kNotFound, "the kernel has no WireGuard");
  if (asked.is(Reason::kNotFound)) return missing;
  TRY(asked);
  if (!number) return missing;
  return static_cast<uint16_t>(*number);
}

}  // namespace wireguard

std::string key_text(const WireguardKey& key) { return to_base64(wireguard::bytes_of(key)); }

std::optional<WireguardKey> parse_key(std::string_view text) {
  const auto bytes = from_base64(text);
  return bytes ? wireguard::key_of(*bytes) : std::nullopt;
}

void write_difference(Batch& batch, uint16_t family, const std::string& name,
                      const WireguardDevice& before, const WireguardDevice& after) {
  using namespace wireguard;  // NOLINT: this unit's own
  if (before.private_key != after.private_key || before.port != after.port) {
    begin(batch, family, WG_CMD_SET_DEVICE, name);
    batch.bytes(WGDEVICE_A_PRIVATE_KEY, bytes_of(after.private_key));
    batch.number(WGDEVICE_A_LISTEN_PORT, after.port);
  }
  // Removals first: a range belongs to one peer at a time.
  std::vector<const WireguardPeer*> removed;
  for (const WireguardPeer& peer : before.peers) {
    if (find_peer(after, peer.key) == nullptr) removed.push_back(&peer);
  }
  std::vector<const WireguardPeer*> changed;
  for (const WireguardPeer& peer : after.peers) {
    const WireguardPeer* found = find_peer(before, peer.key);
    if (found == nullptr || !same_peer(*found, peer)) changed.push_back(&peer);
  }
  for (size_t i = 0; i < removed.size() + changed.size();) {
    begin(batch, family, WG_CMD_SET_DEVICE, name);
    const Batch::Nest list = batch.nest(WGDEVICE_A_PEERS);
    for (; i < removed.size() + changed.size() && list.size() < kMostBytesOfList; ++i) {
      if (i < removed.size()) {
        write_removal(batch, removed[i]->key);
      } else {
        write_peer(batch, *changed[i - removed.size()]);
      }
    }
  }
}

void read_device(const Message& message, WireguardDevice& device) {
  const Attributes attributes = message.attributes<genlmsghdr>();
  if (const auto key = wireguard::key_of(attributes.find(WGDEVICE_A_PRIVATE_KEY).bytes())) {
    device.private_key = *key;
  }
  if (const auto port = attributes.find(WGDEVICE_A_LISTEN_PORT).as<uint16_t>()) {
    device.port = *port;
  }
  for (const Attribute& one : attributes.find(WGDEVICE_A_PEERS).nested()) {
    const Attributes nested = one.nested();
    const auto key = wireguard::key_of(nested.find(WGPEER_A_PUBLIC_KEY).bytes());
    if (!key) continue;
    WireguardPeer peer = wireguard::read_peer(nested, *key);
    // The ranges of a peer may continue in the next message.
    if (!device.peers.empty() && device.peers.back().key == *key) {
      auto& ranges = device.peers.back().allowed;
      ranges.insert(ranges.end(), peer.allowed.begin(), peer.allowed.end());
    } else {
      device.peers.push_back(std::move(peer));
    }
  }
}

Result<Wireguard> Wireguard::open(Clock& clock) {
  Socket socket = TRY(Socket::open(NETLINK_GENERIC, clock));
  const uint16_t family =
      TRY(wireguard::find_family(socket, Until::after(clock, wireguard::kPatience)));
  return Wireguard(std::move(socket), family, clock);
}

Until Wireguard::soon() const { return Until::after(*clock_, wireguard::kPatience); }

Result<WireguardDevice> Wireguard::device(const std::string& name) {
  WireguardDevice device;
  Batch batch;
  wireguard::begin(batch, family_, WG_CMD_GET_DEVICE, name);
  TRY(dump_again(
      socket_, batch, soon(), [&] { device = {}; },
      [&](const Message& message) -> Result<void> {
        read_device(message, device);
        return {};
      }));
  return device;
}

Result<size_t> Wireguard::configure(const std::string& name, const WireguardDevice& wanted) {
  const WireguardDevice before = TRY(device(name));
  Batch batch;
  write_difference(batch, family_, name, before, wanted);
  TRY(socket_.request(batch, soon()));
  return batch.count();
}

}  // namespace proa::netlink
