#include "apiserver/resources/allocate/network.h"

#include <gtest/gtest.h>

#include "apiserver/resources/allocate/address_range.h"

namespace proa::apiserver {
namespace {

AddressRange range(std::string_view text) { return AddressRange(*parse_prefix(text)); }

TEST(AddressRange, LeavesOutTheNetworkAndBroadcasts) {
  struct Case {
    const char* cidr;
    uint64_t size, kept;
    const char *first, *last;
  };
  const Case cases[] = {
      {"10.96.0.0/16", 65534, 256, "10.96.0.1", "10.96.255.254"},
      {"192.168.0.0/24", 254, 16, "192.168.0.1", "192.168.0.254"},
      {"192.168.0.0/28", 14, 0, "192.168.0.1", "192.168.0.14"},
      {"192.168.0.0/30", 2, 0, "192.168.0.1", "192.168.0.2"},
      {"fd00::/108", 1048575, 256, "fd00::1", "fd00::f:ffff"},
      {"fd00::/64", UINT64_MAX - 1, 256, "fd00::1", "fd00::ffff:ffff:ffff:fffe"},
      {"2001:db8::fff0/124", 15, 0, "2001:db8::fff1", "2001:db8::ffff"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.cidr);
    const AddressRange addresses = range(c.cidr);
    EXPECT_EQ(addresses.numbers().size, c.size);
    EXPECT_EQ(addresses.numbers().kept, c.kept);
    EXPECT_EQ(addresses.at(0).str(), c.first);
    EXPECT_EQ(addresses.at(c.size - 1).str(), c.last);
    EXPECT_EQ(addresses.number_of(addresses.at(c.size - 1)), c.size - 1);
    EXPECT_FALSE(addresses.number_of(addresses.prefix().base()));
  }
}

TEST(AddressRange, KnowsItsOwn) {
  const AddressRange addresses = range("10.0.0.0/24");
  EXPECT_EQ(addresses.number_of(*parse_ip("10.0.0.1")), 0u);
  EXPECT_EQ(addresses.number_of(*parse_ip("10.0.0.254")), 253u);
  for (const char* other : {"10.0.0.0", "10.0.0.255", "10.0.1.1", "9.255.255.255", "::1"}) {
    EXPECT_FALSE(addresses.number_of(*parse_ip(other))) << other;
  }
}

TEST(AddressRange, IsEmptyWhereNothingFits) {
  for (const char* cidr : {"10.0.0.0/31", "10.0.0.0/32", "fd00::/128", "fd00::/63"}) {
    EXPECT_EQ(range(cidr).numbers().size, 0u) << cidr;
  }
}

TEST(PortRange, ReadsUpstreamsNotations) {
  EXPECT_EQ(PortRange::parse("30000-32767")->str(), "30000-32767");
  EXPECT_EQ(PortRange::parse("30000+2767")->str(), "30000-32767");
  EXPECT_EQ(PortRange::parse("80")->str(), "80-80");
  for (const char* text : {"", "a", "0-1", "2-1", "1-65536", "-1", "1-2-3", "1+70000", "1+-1",
                           "99999999999999999999-1", "1 - 2"}) {
    EXPECT_FALSE(PortRange::parse(text).ok()) << text;
  }
}

TEST(ServiceNetwork, HasOneNetworkOrOneOfEachFamily) {
  const auto both = ServiceNetwork::parse("fd00::/108,10.0.0.0/16", "30000-32767");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->families(), (std::vector<std::string_view>{"IPv6", "IPv4"}));
  for (const char* text : {"", "10.0.0.0", "10.0.0.1/16", "10.0.0.0/16,10.1.0.0/16",
                           "10.0.0.0/16,fd00::/108,fd01::/108", "10.0.0.0/31", "fd00::/32"}) {
    EXPECT_FALSE(ServiceNetwork::parse(text, "30000-32767").ok()) << text;
  }
  EXPECT_FALSE(ServiceNetwork::parse("10.0.0.0/16", "no").ok());
}

}  // namespace
}  // namespace proa::apiserver
