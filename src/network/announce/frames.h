#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/ip_address.h"
#include "netlink/route/types.h"

// Ethernet frames by which neighbours find the MAC address of an IP address: ARP for IPv4,
// neighbour discovery (NDP, RFC 4861) for IPv6.

struct sock_filter;

namespace proa::network {

using netlink::MacAddress;

// What a received frame says about one address.
struct AddressFrame {
  enum class Kind : uint8_t {
    kQuestion,  // who has the address?
    kClaim,     // the sender says that it has it
  };
  Kind kind = Kind::kQuestion;
  IpAddress address;
  MacAddress sender_mac = {};
  IpAddress sender;  // of a question; all zero in probes for duplicates
};

// Nullopt for other frames and malformed ones.
std::optional<AddressFrame> read_address_frame(std::string_view frame);

// The answer to a question: `mac` has the address.
std::string answer_frame(const AddressFrame& question, const MacAddress& mac);
// Tells all neighbours, unasked, that `mac` has the address: they replace what they knew.
std::string announcement_frame(const IpAddress& address, const MacAddress& mac);

// The multicast group at which questions for an IPv6 address arrive.
IpAddress solicited_node_group(const IpAddress& address);

// Programs for SO_ATTACH_FILTER: pass only frames about these addresses, of one family. The last
// four bytes are compared; too many addresses for a program: all frames of the kind pass.
std::vector<sock_filter> arp_filter(std::span<const IpAddress> addresses);
std::vector<sock_filter> ndp_filter(std::span<const IpAddress> addresses);

}  // namespace proa::network
