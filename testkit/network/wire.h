#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/net/ip_address.h"
#include "netlink/netns.h"
#include "netlink/route/types.h"

// Ethernet frames as a pod with a packet socket may send them: whatever it likes.

namespace proa::testkit {

struct Ether {
  netlink::MacAddress to = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  netlink::MacAddress from = {};
  uint16_t type = 0;
  std::string tags = {};  // before the type: see vlan_tag()
};
std::string vlan_tag(uint16_t type, uint16_t id);
// At least as long as frames are.
std::string frame_of(const Ether& ether, std::string_view packet);

// Packets with their checksums. The family is that of the addresses.
std::string udp_packet(const IpAddress& from, const IpAddress& to, uint16_t port,
                       std::string_view payload);
// `target`: of neighbour discovery, otherwise 16 bytes of anything.
std::string icmp6_packet(const IpAddress& from, const IpAddress& to, uint8_t type,
                         const IpAddress& target);
struct Arp {
  uint16_t operation = 1;  // request
  netlink::MacAddress sender_mac = {};
  IpAddress sender;
  netlink::MacAddress target_mac = {};
  IpAddress target;
};
std::string arp_packet(const Arp& arp);

// The link eth0 of a namespace: sends frames, and sees those that arrive.
class Wire {
 public:
  explicit Wire(const netlink::NetworkNamespace& place);

  void send(std::string_view frame) const;
  // What has arrived since the last call, without headers of Ethernet, up to a packet that contains
  // `last`; waits for that one, for some seconds at most.
  std::string received(std::string_view last) const;

 private:
  FileDescriptor socket_;
};

}  // namespace proa::testkit
