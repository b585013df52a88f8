#include "cli/node/network/empty_tables.h"

#include <gtest/gtest.h>

#include "testkit/netlink/namespace_test_base.h"
#include "testkit/process.h"

namespace proa::cli {
namespace {

class EmptyTablesTest : public testkit::NamespaceTest {
 protected:
  testkit::TempDir folder_;
  SystemFiles files_;
  std::string record_ = folder_.file("tables");
};

TEST_F(EmptyTablesTest, GoUnlessTheyWereThereOrAreUsed) {
  inside([&] {
    shell("iptables -t mangle -A FORWARD -j RETURN; iptables -t mangle -F");
    ASSERT_TRUE(record_tables(files_, clock_, record_).ok());
    const std::string before = shell("nft list ruleset");
    shell(
        "iptables -t nat -A OUTPUT -j RETURN; iptables -t nat -F; "
        "iptables -A INPUT -j RETURN; iptables -F; "
        "ip6tables -t nat -A OUTPUT -j RETURN; ip6tables -P INPUT DROP");
    // The first record counts.
    ASSERT_TRUE(record_tables(files_, clock_, record_).ok());
    ASSERT_TRUE(remove_empty_tables(files_, clock_, record_).ok());
    EXPECT_NE(shell("ip6tables-save").find("-A OUTPUT -j RETURN"), std::string::npos);
    EXPECT_NE(shell("ip6tables -S").find("-P INPUT DROP"), std::string::npos);
    shell("ip6tables -t nat -F; ip6tables -P INPUT ACCEPT");
    ASSERT_TRUE(remove_empty_tables(files_, clock_, record_).ok());
    EXPECT_EQ(shell("nft list ruleset"), before);
  });
}

TEST_F(EmptyTablesTest, NothingGoesWithoutARecord) {
  inside([&] {
    shell("iptables -t nat -A OUTPUT -j RETURN; iptables -t nat -F");
    ASSERT_TRUE(remove_empty_tables(files_, clock_, record_).ok());
    EXPECT_NE(shell("nft list ruleset"), "");
  });
}

}  // namespace
}  // namespace proa::cli
