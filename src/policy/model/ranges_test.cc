#include "policy/model/ranges.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>

#include "base/random.h"

namespace proa::policy {
namespace {

AddressPeer block(const char* range, const std::vector<const char*>& excepts = {}) {
  AddressPeer peer{.range = parse_prefix(range).value()};
  for (const char* except : excepts) peer.except.push_back(parse_prefix(except).value());
  return peer;
}

std::string text_of(const AddressRanges& ranges) {
  std::string text;
  for (const AddressRange& range : ranges) {
    text += (text.empty() ? "" : " ") + range.first.str() + "-" + range.last.str();
  }
  return text;
}

TEST(AddressRanges, JoinBlocksAndLeaveOutExceptions) {
  EXPECT_EQ(text_of(ranges_of({}, false)), "");
  EXPECT_EQ(
      text_of(ranges_of({block("10.0.1.0/24"), block("10.0.0.0/24"), block("fd00::/8")}, false)),
      "10.0.0.0-10.0.1.255");
  EXPECT_EQ(text_of(ranges_of({block("10.0.0.0/24"), block("fd00::/127")}, true)),
            "fd00::-fd00::1");
  EXPECT_EQ(text_of(ranges_of({block("10.0.0.0/8", {"10.1.0.0/16", "10.0.0.0/24", "10.1.2.0/24"})},
                              false)),
            "10.0.1.0-10.0.255.255 10.2.0.0-10.255.255.255");
  EXPECT_EQ(text_of(ranges_of({block("10.0.0.0/8", {"10.0.0.0/8"})}, false)), "");
  // What another block allows is allowed.
  EXPECT_EQ(text_of(ranges_of({block("10.0.0.0/8", {"10.0.0.0/9"}), block("10.64.0.0/16")}, false)),
            "10.64.0.0-10.64.255.255 10.128.0.0-10.255.255.255");
  EXPECT_EQ(text_of(ranges_of({block("0.0.0.0/0", {"255.255.255.255/32"})}, false)),
            "0.0.0.0-255.255.255.254");
  EXPECT_EQ(text_of(ranges_of({block("::/0"), block("ffff::/16")}, true)),
            "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

TEST(AddressRanges, ContainWhatTheirBlocksDo) {
  SeededRandom random(7);
  const auto some_prefix = [&](unsigned least) {
    IpPrefix prefix = parse_prefix("10.0.0.0/8").value();
    prefix.address.bytes[15] = static_cast<uint8_t>(random.below(256));
    prefix.bits = static_cast<unsigned>(least + random.below(33 - least));
    return prefix;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<AddressPeer> blocks;
    for (uint64_t i = random.below(6); i > 0; --i) {
      blocks.push_back({.range = some_prefix(24)});
      for (uint64_t k = random.below(4); k > 0; --k) {
        blocks.back().except.push_back(some_prefix(25));
      }
    }
    const AddressRanges ranges = ranges_of(blocks, false);
    for (int last = 0; last < 256; ++last) {
      IpAddress address = parse_ip("10.0.0.0").value();
      address.bytes[15] = static_cast<uint8_t>(last);
      const bool wanted = std::ranges::any_of(
          blocks, [&](const AddressPeer& one) { return one.contains(address); });
      ASSERT_EQ(contains(ranges, address), wanted) << round << " " << address.str();
    }
  }
}

TEST(PortRanges, JoinPortsOfAProtocol) {
  const auto found = ranges_of({{.first = 81, .last = 90},
                                {.protocol = IPPROTO_UDP, .first = 53, .last = 53},
                                {.name = "http"},
                                {.first = 80, .last = 80},
                                {.first = 85, .last = 100},
                                {.first = 65535, .last = 65535},
                                {.protocol = IPPROTO_SCTP}});
  const std::vector<ProtocolPorts> wanted = {
      {.protocol = IPPROTO_TCP, .ranges = {{80, 100}, {65535, 65535}}},
      {.protocol = IPPROTO_UDP, .ranges = {{53, 53}}},
      {.protocol = IPPROTO_SCTP, .ranges = {{0, 65535}}}};
  EXPECT_EQ(found, wanted);
  EXPECT_TRUE(found[0].contains(80));
  EXPECT_TRUE(found[0].contains(100));
  EXPECT_FALSE(found[0].contains(101));
  EXPECT_FALSE(found[0].contains(79));
  EXPECT_TRUE(found[2].contains(0));
}

}  // namespace
}  // namespace proa::policy
