#include "dns/node/loopback_addresses.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "testkit/netlink/namespace_test_base.h"
#include "testkit/process.h"

namespace proa::dns {
namespace {

class LoopbackAddressesTest : public testkit::NamespaceTest {
 protected:
  SystemFiles files_;
  testkit::TempDir folder_;
  const std::string record_ = folder_.path() + "/dns-addresses";
  const std::vector<IpAddress> wanted_ = {parse_ip("10.96.0.10").value(),
                                          parse_ip("fd00:96::a").value()};
};

TEST_F(LoopbackAddressesTest, AreAddedAndRemoved) {
  inside([&] {
    shell("ip link set lo up");
    auto addresses = LoopbackAddresses::open(files_, clock_, record_);
    ASSERT_TRUE(addresses.ok());
    ASSERT_TRUE(addresses->ensure(wanted_).ok());
    ASSERT_TRUE(addresses->ensure(wanted_).ok());
    EXPECT_NE(shell("ip -o address show lo").find("10.96.0.10/32"), std::string::npos);
    EXPECT_NE(shell("ip -o address show lo").find("fd00:96::a/128"), std::string::npos);
    // What others delete comes back.
    shell("ip address del 10.96.0.10/32 dev lo");
    ASSERT_TRUE(addresses->ensure(wanted_).ok());
    EXPECT_NE(shell("ip -o address show lo").find("10.96.0.10/32"), std::string::npos);
    ASSERT_TRUE(remove_loopback_addresses(files_, clock_, record_).ok());
    EXPECT_EQ(shell("ip -o address show lo").find("10.96.0.10"), std::string::npos);
    EXPECT_EQ(shell("ip -o address show lo").find("fd00:96::a"), std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(record_));
    EXPECT_TRUE(remove_loopback_addresses(files_, clock_, record_).ok());
  });
}

TEST_F(LoopbackAddressesTest, ThatWereThereBeforeStay) {
  inside([&] {
    shell("ip link set lo up; ip address add 10.96.0.10/32 dev lo");
    auto addresses = LoopbackAddresses::open(files_, clock_, record_);
    ASSERT_TRUE(addresses.ok());
    ASSERT_TRUE(addresses->ensure(wanted_).ok());
    ASSERT_TRUE(addresses->remove().ok());
    EXPECT_NE(shell("ip -o address show lo").find("10.96.0.10/32"), std::string::npos);
  });
}

}  // namespace
}  // namespace proa::dns
