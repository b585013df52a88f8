#include "netlink/wireguard/wireguard.h"

#include <gtest/gtest.h>
#include <linux/wireguard.h>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

constexpr uint16_t kFamily = 30;

WireguardKey key(uint8_t byte) {
  WireguardKey made;
  made.fill(byte);
  return made;
}

WireguardPeer peer(uint8_t number, const char* endpoint, std::vector<const char*> ranges) {
  WireguardPeer made{.key = key(number), .endpoint = parse_ip(endpoint).value(), .port = 51820};
  for (const char* range : ranges) made.allowed.push_back(parse_prefix(range).value());
  return made;
}

WireguardDevice device() {
  return {.private_key = key(9),
          .port = 51820,
          .peers = {peer(1, "10.0.0.1", {"10.244.1.0/24", "fd01:0:0:1::/64"}),
                    peer(2, "fd00::2", {"10.244.2.0/24"})}};
}

// What the kernel would list if it had been told so: lists and requests have the same attributes.
WireguardDevice read_back(Batch& batch) {
  WireguardDevice read;
  MessageReader reader(batch.number_from(1, 1));
  while (const auto message = reader.next()) read_device(*message, read);
  return read;
}

TEST(Wireguard, IsReadAsItWasWritten) {
  Batch batch;
  write_difference(batch, kFamily, "proa0v", {}, device());
  EXPECT_EQ(batch.count(), 2u);
  EXPECT_EQ(batch.header(0).nlmsg_type, kFamily);
  EXPECT_EQ(read_back(batch), device());
}

TEST(Wireguard, OnlyDifferencesAreSent) {
  Batch none;
  WireguardDevice found = device();
  std::swap(found.peers[0].allowed[0], found.peers[0].allowed[1]);
  std::swap(found.peers[0], found.peers[1]);
  write_difference(none, kFamily, "proa0v", found, device());
  EXPECT_TRUE(none.empty());

  WireguardDevice wanted = device();
  wanted.peers.erase(wanted.peers.begin());
  wanted.peers.push_back(peer(3, "10.0.0.3", {"10.244.1.0/24"}));
  Batch batch;
  write_difference(batch, kFamily, "proa0v", device(), wanted);
  ASSERT_EQ(batch.count(), 1u);
  MessageReader reader(batch.number_from(1, 1));
  const Message message = reader.next().value();
  std::vector<uint64_t> flags;
  for (const Attribute& one : message.attributes_behind(4).find(WGDEVICE_A_PEERS).nested()) {
    flags.push_back(one.nested().find(WGPEER_A_FLAGS).number().value());
  }
  EXPECT_EQ(flags, (std::vector<uint64_t>{WGPEER_F_REMOVE_ME, WGPEER_F_REPLACE_ALLOWEDIPS}));
}

TEST(Wireguard, ManyPeersTakeSeveralMessages) {
  WireguardDevice many{.private_key = key(9), .port = 1};
  for (int i = 0; i < 1000; ++i) {
    WireguardPeer one = peer(1, "10.0.0.1", {"10.244.1.0/24", "fd01:0:0:1::/64"});
    one.key[0] = static_cast<uint8_t>(i);
    one.key[1] = static_cast<uint8_t>(i >> 8);
    many.peers.push_back(one);
  }
  Batch batch;
  write_difference(batch, kFamily, "proa0v", {}, many);
  EXPECT_GT(batch.count(), 3u);
  EXPECT_EQ(read_back(batch), many);
}

TEST(WireguardKeys, HaveTheTextOfWg) {
  EXPECT_EQ(key_text(key(0)), "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
  EXPECT_EQ(parse_key(key_text(key(200))), key(200));
  EXPECT_FALSE(parse_key("AAAA").has_value());
  EXPECT_FALSE(parse_key("no key").has_value());
}

class WireguardTest : public testkit::NamespaceTest {};

TEST_F(WireguardTest, ConfiguresTheKernel) {
  inside([&] {
    auto wireguard = Wireguard::open(clock_);
    if (wireguard.is(Reason::kNotFound)) GTEST_SKIP() << wireguard.status().message();
    ASSERT_TRUE(wireguard.ok()) << wireguard.status().message();
    shell("ip link add proa0v type wireguard");
    EXPECT_EQ(wireguard->configure("proa0v", device()).value(), 2u);
    EXPECT_EQ(wireguard->configure("proa0v", device()).value(), 0u);
    EXPECT_EQ(wireguard->device("proa0v")->peers.size(), 2u);
  });
}

}  // namespace
}  // namespace proa::netlink
