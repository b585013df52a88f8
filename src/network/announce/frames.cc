#include "network/announce/frames.h"

#include <linux/filter.h>

#include <algorithm>
#include <cstring>

namespace proa::network {
namespace frames {

constexpr size_t kEthernetHeader = 14;
constexpr uint16_t kArp = 0x0806;
constexpr uint16_t kIpv6 = 0x86dd;
constexpr uint16_t kArpRequest = 1;
constexpr uint16_t kArpReply = 2;
constexpr size_t kArpBody = 28;
constexpr size_t kIpv6Header = 40;
constexpr size_t kNdpBody = 24;  // type, code, checksum, flags, target
constexpr uint8_t kIcmpv6 = 58;
constexpr uint8_t kSolicitation = 135;
constexpr uint8_t kAdvertisement = 136;
constexpr uint8_t kNdpHopLimit = 255;  // others were forwarded, and do not count
constexpr uint8_t kSolicited = 0x40;
constexpr uint8_t kOverride = 0x20;
constexpr MacAddress kBroadcast = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
// All nodes on the link: ff02::1.
constexpr IpAddress kAllNodes = {{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
constexpr MacAddress kAllNodesMac = {0x33, 0x33, 0, 0, 0, 1};

uint8_t byte_at(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }
uint16_t short_at(std::string_view bytes, size_t at) {
  return static_cast<uint16_t>(byte_at(bytes, at) << 8 | byte_at(bytes, at + 1));
}
MacAddress mac_at(std::string_view bytes, size_t at) {
  MacAddress mac;
  std::memcpy(mac.data(), bytes.data() + at, mac.size());
  return mac;
}
IpAddress v4_at(std::string_view bytes, size_t at) {
  IpAddress address{{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}};
  std::memcpy(address.bytes.data() + 12, bytes.data() + at, 4);
  return address;
}
IpAddress v6_at(std::string_view bytes, size_t at) {
  IpAddress address;
  std::memcpy(address.bytes.data(), bytes.data() + at, address.bytes.size());
  return address;
}

void put_short(std::string& out, uint16_t value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value & 0xff);
}
template <typename Bytes>
void put(std::string& out, const Bytes& bytes) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
void put_v4(std::string& out, const IpAddress& address) {
  out.append(reinterpret_cast<const char*>(address.bytes.data()) + 12, 4);
}

std::optional<AddressFrame> read_arp(std::string_view body) {
  // Ethernet, IPv4, and their lengths.
  constexpr std::string_view kFixed("\x00\x01\x08\x00\x06\x04", 6);
  if (body.size() < kArpBody || !body.starts_with(kFixed)) return std::nullopt;
  const uint16_t operation = short_at(body, 6);
  AddressFrame read;
  read.sender_mac = mac_at(body, 8);
  const IpAddress sender = v4_at(body, 14);
  const IpAddress target = v4_at(body, 24);
  if (operation == kArpReply || (operation == kArpRequest && sender == target)) {
    read.kind = AddressFrame::Kind::kClaim;
    read.address = sender;
    return read;
  }
  if (operation != kArpRequest) return std::nullopt;
  read.address = target;
  // 0.0.0.0 is a probe.
  if (sender.bytes[12] != 0) read.sender = sender;
  return read;
}

std::optional<AddressFrame> read_ndp(std::string_view packet, const MacAddress& from) {
  if (packet.size() < kIpv6Header + kNdpBody) return std::nullopt;
  if (byte_at(packet, 6) != kIcmpv6 || byte_at(packet, 7) != kNdpHopLimit) return std::nullopt;
  const std::string_view body = packet.substr(kIpv6Header);
  if (byte_at(body, 1) != 0) return std::nullopt;
  AddressFrame read;
  read.address = v6_at(body, 8);
  read.sender = v6_at(packet, 8);
  read.sender_mac = from;
  switch (byte_at(body, 0)) {
    case kSolicitation:
      return read;
    case kAdvertisement:
      read.kind = AddressFrame::Kind::kClaim;
      return read;
    default:
      return std::nullopt;
  }
}

std::string ethernet(const MacAddress& to, const MacAddress& from, uint16_t type) {
  std::string frame;
  put(frame, to);
  put(frame, from);
  put_short(frame, type);
  return frame;
}

struct ArpParty {
  MacAddress mac = {};
  IpAddress address;
};

std::string arp(uint16_t operation, const MacAddress& to, const ArpParty& sender,
                const ArpParty& target) {
  std::string frame = ethernet(to, sender.mac, kArp);
  put_short(frame, 1);
  put_short(frame, 0x0800);
  frame += '\x06';
  frame += '\x04';
  put_short(frame, operation);
  put(frame, sender.mac);
  put_v4(frame, sender.address);
  put(frame, target.mac);
  put_v4(frame, target.address);
  return frame;
}

// Of ICMPv6, with the pseudo header: addresses, length, protocol.
uint16_t checksum(std::string_view addresses, std::string_view body) {
  uint32_t sum = static_cast<uint32_t>(body.size()) + kIcmpv6;
  for (const std::string_view part : {addresses, body}) {
    for (size_t i = 0; i + 1 < part.size(); i += 2) sum += short_at(part, i);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

std::string advertisement(const IpAddress& address, const MacAddress& mac, const IpAddress& to,
                          const MacAddress& to_mac, uint8_t flags) {
  std::string body;
  body += static_cast<char>(kAdvertisement);
  body.append(3, '\0');  // code, checksum
  body += static_cast<char>(flags);
  body.append(3, '\0');
  put(body, address.bytes);
  body += '\x02';  // option: link-layer address of the target
  body += '\x01';  // in units of eight bytes
  put(body, mac);
  std::string addresses;
  put(addresses, address.bytes);
  put(addresses, to.bytes);
  const uint16_t sum = checksum(addresses, body);
  body[2] = static_cast<char>(sum >> 8);
  body[3] = static_cast<char>(sum & 0xff);

  std::string frame = ethernet(to_mac, mac, kIpv6);
  frame.append("\x60\x00\x00\x00", 4);  // version 6
  put_short(frame, static_cast<uint16_t>(body.size()));
  frame += static_cast<char>(kIcmpv6);
  frame += static_cast<char>(kNdpHopLimit);
  return frame + addresses + body;
}

// Beyond this, a program would be longer than the kernel allows (BPF_MAXINSNS), and slower than
// looking ourselves.
constexpr size_t kMostCompared = 512;
constexpr uint32_t kWholeFrame = 0xffff;

// After `program`, which drops frames of other kinds: the address at this offset.
void compare_addresses(std::vector<sock_filter>& program, uint32_t offset,
                       std::span<const IpAddress> addresses) {
  if (addresses.size() <= kMostCompared) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
    for (const IpAddress& address : addresses) {
      uint32_t last = 0;
      for (size_t i = 12; i < 16; ++i) last = last << 8 | address.bytes[i];
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, last, 0, 1));
      program.push_back(BPF_STMT(BPF_RET | BPF_K, kWholeFrame));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, 0));
  } else {
    program.push_back(BPF_STMT(BPF_RET | BPF_K, kWholeFrame));
  }
}

}  // namespace frames

std::optional<AddressFrame> read_address_frame(std::string_view frame) {
  if (frame.size() < frames::kEthernetHeader) return std::nullopt;
  const MacAddress from = frames::mac_at(frame, 6);
  const std::string_view body = frame.substr(frames::kEthernetHeader);
  switch (frames::short_at(frame, 12)) {
    case frames::kArp:
      return frames::read_arp(body);
    case frames::kIpv6:
      return frames::read_ndp(body, from);
    default:
      return std::nullopt;
  }
}

std::string answer_frame(const AddressFrame& question, const MacAddress& mac) {
  if (question.address.is_v4()) {
    IpAddress asker = question.sender;
    if (asker == IpAddress{}) asker.bytes[10] = asker.bytes[11] = 0xff;
    return frames::arp(frames::kArpReply, question.sender_mac, {mac, question.address},
                       {question.sender_mac, asker});
  }
  // Who probes for duplicates has no address yet: all are told.
  const bool is_probe = question.sender == IpAddress{};
  return is_probe
             ? frames::advertisement(question.address, mac, frames::kAllNodes, frames::kAllNodesMac,
                                     frames::kOverride)
             : frames::advertisement(question.address, mac, question.sender, question.sender_mac,
                                     frames::kSolicited | frames::kOverride);
}

std::string announcement_frame(const IpAddress& address, const MacAddress& mac) {
  if (address.is_v4()) {
    // A request in form: some neighbours ignore replies that they did not ask for.
    return frames::arp(frames::kArpRequest, frames::kBroadcast, {mac, address}, {{}, address});
  }
  return frames::advertisement(address, mac, frames::kAllNodes, frames::kAllNodesMac,
                               frames::kOverride);
}

IpAddress solicited_node_group(const IpAddress& address) {
  IpAddress group{{0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0xff}};
  std::copy(address.bytes.begin() + 13, address.bytes.end(), group.bytes.begin() + 13);
  return group;
}

std::vector<sock_filter> arp_filter(std::span<const IpAddress> addresses) {
  // Of the frame: the operation at 20, the address asked for at 38.
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 20),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, frames::kArpRequest, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, frames::kArpReply, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  frames::compare_addresses(program, 38, addresses);
  return program;
}

std::vector<sock_filter> ndp_filter(std::span<const IpAddress> addresses) {
  // Of the frame: the next header at 20, the type at 54, the target's last bytes at 74.
  std::vector<sock_filter> program = {
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 20),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, frames::kIcmpv6, 0, 3),
      BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 54),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, frames::kSolicitation, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, frames::kAdvertisement, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
  };
  frames::compare_addresses(program, 74, addresses);
  return program;
}

}  // namespace proa::network
