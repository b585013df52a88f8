#include "network/guard/guard_table.h"

#include <gtest/gtest.h>

#include "netlink/nft/print.h"

namespace proa::network {
namespace {

IpAddress ip(const char* text) { return parse_ip(text).value(); }

PodPort pod() {
  return {.link = "veth1",
          .mac = {0x2a, 0, 0, 0, 0, 0x17},
          .addresses = {ip("10.244.1.7"), ip("fd01::7")},
          .broadcasts = {ip("10.244.1.0"), ip("10.244.1.255")}};
}

TEST(LinkLocalAddress, IsMadeOfTheMac) {
  EXPECT_EQ(link_local_address({0x2a, 0x11, 0x22, 0x33, 0x44, 0x55}).str(),
            "fe80::2811:22ff:fe33:4455");
}

TEST(GuardTable, IsNoneWithoutPorts) {
  const netlink::nft::Table none = guard_table({}, {}, {});
  EXPECT_TRUE(none.chains.empty());
  EXPECT_EQ(none.name, guard_table_name({}));
  EXPECT_EQ(guard_table_name({}).name, "proa-network");
  EXPECT_EQ(guard_table_name({.bridge = "proa7"}).name, "proa-network-proa7");
}

// The type of a frame is asked for where addresses are, though nft does not write it: what stands
// in a tagged frame where the type would be is the tag's.
TEST(GuardTable, SaysWhatAPodMaySend) {
  EXPECT_EQ(
      netlink::nft::print(guard_table({}, {"uplink", "veth1"}, {pod()})),
      "table bridge proa-network {\n"
      "\tmap ports {\n"
      "\t\ttype ifname : verdict\n"
      "\t\telements = { \"uplink\" : goto port,\n"
      "\t\t\t     \"veth1\" : goto pod }\n"
      "\t}\n"
      "\n"
      "\tset pods {\n"
      "\t\ttype ifname\n"
      "\t\telements = { \"veth1\" }\n"
      "\t}\n"
      "\n"
      "\tset broadcast {\n"
      "\t\ttype ipv4_addr\n"
      "\t\telements = { 10.244.1.0,\n"
      "\t\t\t     10.244.1.255 }\n"
      "\t}\n"
      "\n"
      "\tset own {\n"
      "\t\ttype ifname . ether_addr . ipv4_addr\n"
      "\t\telements = { \"veth1\" . 2a:00:00:00:00:17 . 10.244.1.7 }\n"
      "\t}\n"
      "\n"
      "\tset own-arp {\n"
      "\t\ttype ifname . ether_addr . ipv4_addr\n"
      "\t\telements = { \"veth1\" . 2a:00:00:00:00:17 . 0.0.0.0,\n"
      "\t\t\t     \"veth1\" . 2a:00:00:00:00:17 . 10.244.1.7 }\n"
      "\t}\n"
      "\n"
      "\tset own-ipv6 {\n"
      "\t\ttype ifname . ether_addr . ipv6_addr\n"
      "\t\telements = { \"veth1\" . 2a:00:00:00:00:17 . fd01::7 }\n"
      "\t}\n"
      "\n"
      "\tset own-neighbour {\n"
      "\t\ttype ifname . ether_addr . ipv6_addr\n"
      "\t\telements = { \"veth1\" . 2a:00:00:00:00:17 . fd01::7,\n"
      "\t\t\t     \"veth1\" . 2a:00:00:00:00:17 . fe80::2800:ff:fe00:17 }\n"
      "\t}\n"
      "\n"
      "\tset own-first {\n"
      "\t\ttype ifname . ether_addr . ipv6_addr\n"
      "\t\telements = { \"veth1\" . 2a:00:00:00:00:17 . ::,\n"
      "\t\t\t     \"veth1\" . 2a:00:00:00:00:17 . fe80::2800:ff:fe00:17 }\n"
      "\t}\n"
      "\n"
      "\tchain prerouting {\n"
      "\t\ttype filter hook prerouting priority -400; policy accept;\n"
      "\t\tiifname vmap @ports\n"
      "\t}\n"
      "\n"
      "\tchain input {\n"
      "\t\ttype filter hook input priority -400; policy accept;\n"
      "\t\tether daddr & ff:ff:ff:ff:ff:f0 == 01:80:c2:00:00:00 iifname @pods drop\n"
      "\t}\n"
      "\n"
      "\tchain postrouting {\n"
      "\t\ttype filter hook postrouting priority 400; policy accept;\n"
      "\t\toifname @pods goto receiver\n"
      "\t}\n"
      "\n"
      "\tchain port {\n"
      "\t\tether type 8021q drop\n"
      "\t\tether type 8021ad drop\n"
      "\t\tether type 0x9100 drop\n"
      "\t}\n"
      "\n"
      "\tchain pod {\n"
      "\t\tether type ip ether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00 drop\n"
      "\t\tip daddr 224.0.0.0/3 drop\n"
      "\t\tip daddr @broadcast drop\n"
      "\t\tiifname . ether saddr . ip saddr @own accept\n"
      "\t\tiifname . ether saddr . arp saddr ip @own-arp iifname . arp saddr ether . arp saddr ip "
      "@own-arp accept\n"
      "\t\tether type ip6 goto pod-ipv6\n"
      "\t\tdrop\n"
      "\t}\n"
      "\n"
      "\tchain pod-ipv6 {\n"
      "\t\tether daddr & 01:00:00:00:00:00 == 01:00:00:00:00:00 ip6 daddr != ff00::/8 drop\n"
      "\t\tmeta l4proto != ipv6-icmp ip6 daddr ff00::/8 drop\n"
      "\t\tmeta l4proto != ipv6-icmp iifname . ether saddr . ip6 saddr @own-ipv6 accept\n"
      "\t\ticmpv6 type mld-listener-query drop\n"
      "\t\ticmpv6 type nd-router-advert drop\n"
      "\t\ticmpv6 type nd-redirect drop\n"
      "\t\ticmpv6 type nd-neighbor-advert iifname . ether saddr . ip6 saddr @own-neighbour iifname "
      ". ether saddr . @th,64,128 @own-neighbour accept\n"
      "\t\ticmpv6 type nd-neighbor-advert drop\n"
      "\t\ticmpv6 type nd-neighbor-solicit iifname . ether saddr . ip6 saddr @own-neighbour "
      "accept\n"
      "\t\ticmpv6 type nd-neighbor-solicit iifname . ether saddr . ip6 saddr @own-first iifname . "
      "ether saddr . @th,64,128 @own-neighbour accept\n"
      "\t\ticmpv6 type 131-133 iifname . ether saddr . ip6 saddr @own-first accept\n"
      "\t\ticmpv6 type mld2-listener-report iifname . ether saddr . ip6 saddr @own-first accept\n"
      "\t\tip6 daddr ff00::/8 drop\n"
      "\t\tmeta l4proto ipv6-icmp iifname . ether saddr . ip6 saddr @own-ipv6 accept\n"
      "\t\tdrop\n"
      "\t}\n"
      "\n"
      "\tchain receiver {\n"
      "\t\tip daddr 224.0.0.0/3 accept\n"
      "\t\tip daddr @broadcast accept\n"
      "\t\toifname . ether daddr . ip daddr != @own drop\n"
      "\t\tip6 daddr ff00::/8 accept\n"
      "\t\toifname . ether daddr . ip6 daddr != @own-neighbour drop\n"
      "\t}\n"
      "}\n");
}

TEST(GuardTable, IsTheSameButForElementsWhateverPodsThereAre) {
  const netlink::nft::Table one = guard_table({}, {"veth1"}, {pod()});
  const netlink::nft::Table other = guard_table({}, {"veth1", "veth2"}, {});
  EXPECT_EQ(one.chains, other.chains);
  ASSERT_EQ(one.sets.size(), other.sets.size());
  for (size_t i = 0; i < one.sets.size(); ++i) EXPECT_EQ(one.sets[i].set, other.sets[i].set);
}

}  // namespace
}  // namespace proa::network
