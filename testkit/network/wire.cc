#include "testkit/network/wire.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>

#include "base/check.h"

namespace proa::testkit {
namespace wire {

constexpr std::chrono::seconds kPatience{5};
constexpr size_t kEtherHeader = 14;
constexpr size_t kLeastFrame = 60;
constexpr uint8_t kHops = 255;  // neighbour discovery believes no other
constexpr uint16_t kPort = 5555;

void append16(std::string& out, uint16_t number) {
  out += static_cast<char>(number >> 8);
  out += static_cast<char>(number & 0xff);
}

void append_mac(std::string& out, const netlink::MacAddress& mac) {
  out.append(reinterpret_cast<const char*>(mac.data()), mac.size());
}

std::string bytes_of(const IpAddress& address) {
  const size_t skipped = address.is_v4() ? 12 : 0;
  return {reinterpret_cast<const char*>(address.bytes.data()) + skipped, 16 - skipped};
}

uint16_t checksum(std::string bytes) {
  if (bytes.size() % 2 != 0) bytes += '\0';
  uint32_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    sum += static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << 8 |
           static_cast<uint8_t>(bytes[i + 1]);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

void put_checksum(std::string& packet, size_t at, uint16_t sum) {
  packet[at] = static_cast<char>(sum >> 8);
  packet[at + 1] = static_cast<char>(sum & 0xff);
}

std::string v4_packet(const IpAddress& from, const IpAddress& to, uint8_t protocol,
                      const std::string& content) {
  std::string packet = {0x45, 0};
  append16(packet, static_cast<uint16_t>(20 + content.size()));
  packet.append(4, '\0');
  packet += static_cast<char>(64);
  packet += static_cast<char>(protocol);
  packet.append(2, '\0');
  packet += bytes_of(from) + bytes_of(to);
  put_checksum(packet, 10, checksum(packet));
  return packet + content;
}

// `sum_at`: where the checksum of the content is.
std::string v6_packet(const IpAddress& from, const IpAddress& to, uint8_t protocol,
                      std::string content, size_t sum_at) {
  std::string pseudo = bytes_of(from) + bytes_of(to);
  append16(pseudo, 0);
  append16(pseudo, static_cast<uint16_t>(content.size()));
  pseudo.append(3, '\0');
  pseudo += static_cast<char>(protocol);
  put_checksum(content, sum_at, checksum(pseudo + content));
  std::string packet = {0x60, 0, 0, 0};
  append16(packet, static_cast<uint16_t>(content.size()));
  packet += static_cast<char>(protocol);
  packet += static_cast<char>(kHops);
  return packet + bytes_of(from) + bytes_of(to) + content;
}

}  // namespace wire

std::string vlan_tag(uint16_t type, uint16_t id) {
  std::string tag;
  wire::append16(tag, type);
  wire::append16(tag, id);
  return tag;
}

std::string frame_of(const Ether& ether, std::string_view packet) {
  std::string frame;
  wire::append_mac(frame, ether.to);
  wire::append_mac(frame, ether.from);
  frame += ether.tags;
  wire::append16(frame, ether.type);
  frame += packet;
  if (frame.size() < wire::kLeastFrame) frame.resize(wire::kLeastFrame);
  return frame;
}

std::string udp_packet(const IpAddress& from, const IpAddress& to, uint16_t port,
                       std::string_view payload) {
  std::string content;
  wire::append16(content, wire::kPort);
  wire::append16(content, port);
  wire::append16(content, static_cast<uint16_t>(8 + payload.size()));
  wire::append16(content, 0);
  content += payload;
  // IPv4 does without a checksum of it.
  if (from.is_v4()) return wire::v4_packet(from, to, IPPROTO_UDP, content);
  return wire::v6_packet(from, to, IPPROTO_UDP, content, 6);
}

std::string icmp6_packet(const IpAddress& from, const IpAddress& to, uint8_t type,
                         const IpAddress& target) {
  std::string content(8, '\0');
  content[0] = static_cast<char>(type);
  content.append(reinterpret_cast<const char*>(target.bytes.data()), target.bytes.size());
  return wire::v6_packet(from, to, IPPROTO_ICMPV6, content, 2);
}

std::string arp_packet(const Arp& arp) {
  std::string packet = {0, 1, 8, 0, 6, 4};
  wire::append16(packet, arp.operation);
  wire::append_mac(packet, arp.sender_mac);
  packet += wire::bytes_of(arp.sender);
  wire::append_mac(packet, arp.target_mac);
  return packet + wire::bytes_of(arp.target);
}

Wire::Wire(const netlink::NetworkNamespace& place) {
  place
      .run([&]() -> Result<void> {
        socket_ = FileDescriptor(
            ::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL)));
        sockaddr_ll at{};
        at.sll_family = AF_PACKET;
        at.sll_ifindex = static_cast<int>(::if_nametoindex("eth0"));
        at.sll_protocol = htons(ETH_P_ALL);
        CHECK(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0);
        return {};
      })
      .value();
}

void Wire::send(std::string_view frame) const {
  CHECK(::send(socket_.get(), frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size()));
}

std::string Wire::received(std::string_view last) const {
  const auto end = std::chrono::steady_clock::now() + wire::kPatience;
  std::string all;
  while (std::chrono::steady_clock::now() < end) {
    char frame[2048];
    sockaddr_ll from{};
    socklen_t length = sizeof from;
    const ssize_t got = ::recvfrom(socket_.get(), frame, sizeof frame, 0,
                                   reinterpret_cast<sockaddr*>(&from), &length);
    if (got < 0) {
      pollfd waiting{socket_.get(), POLLIN, 0};
      ::poll(&waiting, 1, 10);
      continue;
    }
    if (from.sll_pkttype == PACKET_OUTGOING) continue;
    const std::string_view packet(frame, static_cast<size_t>(got));
    all += packet.substr(std::min(packet.size(), wire::kEtherHeader));
    if (packet.find(last) != std::string_view::npos) break;
  }
  return all;
}

}  // namespace proa::testkit
