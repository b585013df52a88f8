#include "netlink/nft/monitor.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include "netlink/nft/transaction.h"
#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink::nft {
namespace {

using MonitorTest = testkit::NamespaceTest;

TEST_F(MonitorTest, ReportsWhatOthersDoToOurTables) {
  inside([&] {
    const TableName table{Family::kIp, "proa-test"};
    Socket socket = Socket::open(NETLINK_NETFILTER, clock_).value();
    Monitor monitor = Monitor::open({table}, clock_).value();
    EXPECT_FALSE(monitor.disturbed());

    Transaction ours;
    ours.add_table(table);
    ours.add_set(table, {"addresses", {Type::kAddress}});
    ASSERT_TRUE(std::move(ours).commit(socket, soon()).ok());
    EXPECT_FALSE(monitor.disturbed());

    shell("nft add table ip other; nft add table ip6 proa-test");
    EXPECT_FALSE(monitor.disturbed());

    shell("nft add element ip proa-test addresses { 1.2.3.4 }");
    EXPECT_TRUE(monitor.disturbed());
    EXPECT_FALSE(monitor.disturbed());

    shell("nft delete table ip proa-test");
    EXPECT_TRUE(monitor.disturbed());
  });
}

}  // namespace
}  // namespace proa::netlink::nft
