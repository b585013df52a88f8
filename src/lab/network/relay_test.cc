#include "lab/network/relay.h"

#include <gtest/gtest.h>

#include <cstring>

namespace proa::lab {
namespace {

const Machine& machine(const Plan& plan, const char* name) { return **plan.find(name); }

std::string frame(const MacAddress& to, const MacAddress& from, uint16_t type,
                  const std::string& packet) {
  std::string bytes(reinterpret_cast<const char*>(to.data()), to.size());
  bytes.append(reinterpret_cast<const char*>(from.data()), from.size());
  bytes += static_cast<char>(type >> 8);
  bytes += static_cast<char>(type & 0xff);
  return bytes + packet;
}

// A header with a correct checksum, 64 hops.
std::string ipv4_packet(const IpAddress& from, const IpAddress& to) {
  std::string header("\x45\x00\x00\x14\x00\x00\x00\x00\x40\x11\x00\x00", 12);
  for (const IpAddress* each : {&from, &to}) {
    header.append(reinterpret_cast<const char*>(each->bytes.data()) + 12, 4);
  }
  uint32_t sum = 0;
  for (size_t i = 0; i < header.size(); i += 2) {
    sum += static_cast<uint32_t>(static_cast<uint8_t>(header[i])) << 8 |
           static_cast<uint8_t>(header[i + 1]);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  header[10] = static_cast<char>(~sum >> 8);
  header[11] = static_cast<char>(~sum & 0xff);
  return header;
}

bool has_right_checksum(const std::string& header) {
  uint32_t sum = 0;
  for (size_t i = 0; i < header.size(); i += 2) {
    sum += static_cast<uint32_t>(static_cast<uint8_t>(header[i])) << 8 |
           static_cast<uint8_t>(header[i + 1]);
  }
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

TEST(Relay, PassesFramesBetweenPortsOfTheBridgeByTheirLinkAddress) {
  const Plan plan = make_plan({.name = "a", .nodes = 3});
  const Machine& one = machine(plan, "node-1");
  const Machine& two = machine(plan, "node-2");
  const Machine& three = machine(plan, "node-3");
  const MacAddress everybody{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  // Packets of pods have addresses that no machine has.
  const std::string packet = ipv4_packet(*parse_ip("10.244.0.5"), *parse_ip("10.244.1.5"));
  EXPECT_EQ(passage_of(frame(two.cable.mac, one.cable.mac, 0x0800, packet), one, two),
            Passage::kBridged);
  EXPECT_EQ(passage_of(frame(three.cable.mac, one.cable.mac, 0x0800, packet), one, two),
            Passage::kNone);
  EXPECT_EQ(passage_of(frame(everybody, one.cable.mac, 0x0806, "who has"), one, two),
            Passage::kBridged);
}

TEST(Relay, RoutesByTheAddressOfTheMachine) {
  const Plan plan = make_plan({.name = "a", .nodes = 3, .topology = Topology::kRouted});
  const Machine& one = machine(plan, "node-1");
  const Machine& two = machine(plan, "node-2");
  const IpAddress source = one.cable.addresses[0].address;
  const IpAddress target = two.cable.addresses[0].address;
  std::string sent = frame(one.cable.port_mac, one.cable.mac, 0x0800, ipv4_packet(source, target));
  ASSERT_TRUE(has_right_checksum(sent.substr(14)));
  EXPECT_EQ(passage_of(sent, one, two), Passage::kRouted);
  EXPECT_EQ(passage_of(sent, one, machine(plan, "node-3")), Passage::kNone);
  // Its gateway's own business.
  const std::string question = frame(one.cable.port_mac, one.cable.mac, 0x0806, "who has");
  EXPECT_EQ(passage_of(question, one, two), Passage::kNone);

  ASSERT_TRUE(route_frame(sent, two.cable));
  EXPECT_EQ(std::memcmp(sent.data(), two.cable.mac.data(), 6), 0);
  EXPECT_EQ(std::memcmp(sent.data() + 6, two.cable.port_mac.data(), 6), 0);
  EXPECT_EQ(sent[14 + 8], 63);
  EXPECT_TRUE(has_right_checksum(sent.substr(14)));
  sent[14 + 8] = 1;
  EXPECT_FALSE(route_frame(sent, two.cable));
}

TEST(Relay, RoutesIpv6Too) {
  const Plan plan = make_plan(
      {.name = "a", .nodes = 2, .topology = Topology::kRouted, .families = Families::kV6});
  const Machine& one = machine(plan, "node-1");
  const Machine& two = machine(plan, "node-2");
  std::string packet("\x60\x00\x00\x00\x00\x00\x3b\x40", 8);
  for (const Machine* each : {&one, &two}) {
    packet.append(reinterpret_cast<const char*>(each->cable.addresses[0].address.bytes.data()), 16);
  }
  std::string sent = frame(one.cable.port_mac, one.cable.mac, 0x86dd, packet);
  EXPECT_EQ(passage_of(sent, one, two), Passage::kRouted);
  ASSERT_TRUE(route_frame(sent, two.cable));
  EXPECT_EQ(sent[14 + 7], 63);
}

TEST(Relay, IgnoresFramesThatAreTooShort) {
  const Plan plan = make_plan({.name = "a", .nodes = 2, .topology = Topology::kRouted});
  const Machine& one = machine(plan, "node-1");
  const Machine& two = machine(plan, "node-2");
  const std::string whole =
      frame(one.cable.port_mac, one.cable.mac, 0x0800,
            ipv4_packet(one.cable.addresses[0].address, two.cable.addresses[0].address));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(passage_of(whole.substr(0, size), one, two), Passage::kNone) << size;
  }
}

}  // namespace
}  // namespace proa::lab
