#include "controllers/network/balancers/address_pool.h"

#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::controllers {
namespace {

class AddressPoolTest : public testing::Test {
 protected:
  static AddressPool pool(std::string_view flag) {
    return {parse_load_balancer_pool(flag).value(),
            [](const IpAddress& address) { return address.str() == "192.0.2.1"; }};
  }
  static std::string assign(AddressPool& pool, const std::string& name,
                            std::vector<IpFamily> families = {IpFamily::kV4},
                            const std::string& requested = "") {
    const auto assigned = pool.assign(
        {.service = {"d", name}, .families = std::move(families), .requested = requested});
    return assigned ? join(*assigned, " ") : assigned.status().message();
  }
};

TEST_F(AddressPoolTest, GivesTheFirstFreeOnesButNoneThatMayBeANetwork) {
  AddressPool some = pool("192.0.2.0/29");
  EXPECT_EQ(assign(some, "a"), "192.0.2.2");  // .0 is ambiguous, .1 a node's
  EXPECT_EQ(assign(some, "a"), "192.0.2.2");
  EXPECT_EQ(assign(some, "b"), "192.0.2.3");
  some.release({"d", "a"});
  EXPECT_EQ(assign(some, "c"), "192.0.2.2");
  EXPECT_EQ(assign(some, "d", {IpFamily::kV4}, "192.0.2.0"), "192.0.2.0");
  EXPECT_EQ(assign(some, "e", {IpFamily::kV4}, "192.0.2.1"),
            "loadBalancerIP 192.0.2.1 is the address of a node");
  EXPECT_EQ(assign(some, "f", {IpFamily::kV6}), "the pool 192.0.2.0/29 has no IPv6 range");
}

TEST_F(AddressPoolTest, RefusesAnAddressOfAFamilyThatItCannotGive) {
  AddressPool six = pool("2001:db8::/64");
  EXPECT_EQ(assign(six, "a", {IpFamily::kV6, IpFamily::kV4}, "192.0.2.9"),
            "loadBalancerIP 192.0.2.9 is not in the pool 2001:db8::/64");
  AddressPool both = pool("192.0.2.8/30,2001:db8::/64");
  EXPECT_EQ(assign(both, "a", {IpFamily::kV6}, "192.0.2.9"),
            "loadBalancerIP 192.0.2.9 is IPv4, which the Service is not");
  EXPECT_EQ(assign(both, "a", {IpFamily::kV6, IpFamily::kV4}, "192.0.2.9"),
            "2001:db8::1 192.0.2.9");
}

TEST_F(AddressPoolTest, TakesOneOfEachFamilyThatItHas) {
  AddressPool both = pool("192.0.2.8/32,2001:db8::/64");
  const std::vector<IpFamily> families = {IpFamily::kV6, IpFamily::kV4};
  EXPECT_EQ(assign(both, "a", families), "2001:db8::1 192.0.2.8");
  EXPECT_EQ(assign(both, "b", families),
            "no IPv4 address is free in the pool 192.0.2.8/32,2001:db8::/64");
  EXPECT_EQ(assign(both, "b", {IpFamily::kV6}), "2001:db8::2");
  AddressPool one = pool("192.0.2.8/32");
  EXPECT_EQ(assign(one, "a", families), "192.0.2.8");
}

TEST_F(AddressPoolTest, TellsThoseThatWaitWhenAnAddressIsReleased) {
  AddressPool one = pool("192.0.2.8/32");
  const std::string first[] = {"192.0.2.8"};
  one.adopt({"d", "a"}, first);
  one.adopt({"d", "b"}, first);
  EXPECT_EQ(assign(one, "b"), "no IPv4 address is free in the pool 192.0.2.8/32");
  EXPECT_TRUE(one.take_waiting().empty());
  one.release({"d", "a"});
  EXPECT_EQ(one.take_waiting(), (std::vector<client::Key>{{"d", "b"}}));
  EXPECT_TRUE(one.take_waiting().empty());
  EXPECT_EQ(assign(one, "b"), "192.0.2.8");
}

TEST_F(AddressPoolTest, ALargeRangeThatIsReservedEndsTheSearch) {
  AddressPool large(parse_load_balancer_pool("2001:db8::/32").value(),
                    [](const IpAddress&) { return true; });
  EXPECT_EQ(assign(large, "a", {IpFamily::kV6}),
            "no IPv6 address is free in the pool 2001:db8::/32");
}

TEST(ParseLoadBalancerPool, RefusesWhatIsNoRange) {
  EXPECT_TRUE(parse_load_balancer_pool("nodes").value().empty());
  EXPECT_EQ(parse_load_balancer_pool("192.0.2.0/24, 2001:db8::/64").value().size(), 2U);
  for (const char* flag : {"node", "192.0.2.1", "192.0.2.1/24", "192.0.2.0/24,", "010.0.0.0/8",
                           "192.0.2.0/24,192.0.2.128/25"}) {
    EXPECT_FALSE(parse_load_balancer_pool(flag)) << flag;
  }
}

}  // namespace
}  // namespace proa::controllers
