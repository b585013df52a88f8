#include "netlink/socket.h"

#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <thread>

#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

class SocketTest : public testkit::NamespaceTest {
 protected:
  static void add_bridge(Batch& batch, std::string_view name) {
    batch.begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, ifinfomsg{});
    batch.text(IFLA_IFNAME, name);
    const Batch::Nest info = batch.nest(IFLA_LINKINFO);
    batch.text(IFLA_INFO_KIND, "bridge");
  }

  std::vector<std::string> links(Socket& socket) {
    std::vector<std::string> names;
    Batch batch;
    batch.begin(RTM_GETLINK, 0, ifinfomsg{});
    const auto listed = dump_again(
        socket, batch, soon(), [&] { names.clear(); },
        [&](const Message& message) -> Result<void> {
          names.emplace_back(message.attributes<ifinfomsg>().find(IFLA_IFNAME).text());
          return {};
        });
    EXPECT_TRUE(listed.ok()) << listed.status().message();
    return names;
  }
};

TEST_F(SocketTest, AsksAndLists) {
  inside([&] {
    Socket socket = Socket::open(NETLINK_ROUTE, clock_).value();
    Batch batch;
    add_bridge(batch, "a");
    add_bridge(batch, "b");
    const auto made = socket.request(batch, soon());
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(links(socket), (std::vector<std::string>{"lo", "a", "b"}));
  });
}

TEST_F(SocketTest, RefusalsHaveTheirMessageAndTheWordsOfTheKernel) {
  inside([&] {
    Socket socket = Socket::open(NETLINK_ROUTE, clock_).value();
    Batch batch;
    add_bridge(batch, "a");
    add_bridge(batch, "a");
    add_bridge(batch, "c");
    std::vector<Refusal> refusals;
    EXPECT_TRUE(socket.request(batch, soon(), {}, &refusals).is(Reason::kAlreadyExists));
    ASSERT_EQ(refusals.size(), 1u);
    EXPECT_EQ(refusals[0].message, 1u);
    EXPECT_EQ(refusals[0].error, EEXIST);

    Batch unknown;
    unknown.begin(RTM_NEWLINK, NLM_F_CREATE, ifinfomsg{});
    {
      const Batch::Nest info = unknown.nest(IFLA_LINKINFO);
      unknown.text(IFLA_INFO_KIND, "nosuchkind");
    }
    const auto refused = socket.request(unknown, soon());
    EXPECT_TRUE(refused.is(Reason::kMethodNotAllowed));
    EXPECT_EQ(refused.status().message(),
              "netlink request: Operation not supported (Unknown device type)");
  });
}

// BEGIN, tables, END. The names of tables are "a0", "a1", ...
Batch tables(std::string_view prefix, size_t count, uint16_t flags) {
  const auto type = [](uint16_t message) {
    return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
  };
  const nfgenmsg edge{
      .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)};
  Batch batch;
  batch.begin(NFNL_MSG_BATCH_BEGIN, 0, edge);
  for (size_t i = 0; i < count; ++i) {
    batch.begin(type(NFT_MSG_NEWTABLE), static_cast<uint16_t>(NLM_F_CREATE | flags),
                nfgenmsg{.nfgen_family = AF_INET, .version = NFNETLINK_V0, .res_id = 0});
    batch.text(NFTA_TABLE_NAME, std::string(prefix) + std::to_string(i));
  }
  batch.begin(NFNL_MSG_BATCH_END, 0, edge);
  return batch;
}

TEST_F(SocketTest, TransactionsOfNetfilterAreAllOrNothing) {
  inside([&] {
    Socket socket = Socket::open(NETLINK_NETFILTER, clock_).value();
    Batch good = tables("a", 3, 0);
    const auto made = socket.request(good, soon());
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_EQ(shell("nft list tables"), "table ip a0\ntable ip a1\ntable ip a2\n");

    Batch bad = tables("a", 4, NLM_F_EXCL);
    std::vector<Refusal> refusals;
    EXPECT_TRUE(socket.request(bad, soon(), {}, &refusals).is(Reason::kAlreadyExists));
    ASSERT_EQ(refusals.size(), 3u);
    EXPECT_EQ(refusals[2].message, 3u);
    EXPECT_EQ(shell("nft list tables"), "table ip a0\ntable ip a1\ntable ip a2\n");
    // Nothing of that is left for the next request.
    EXPECT_TRUE(socket.request(good, soon()).ok());
  });
}

TEST_F(SocketTest, SendsBatchesOfManyBytes) {
  inside([&] {
    Socket socket = Socket::open(NETLINK_NETFILTER, clock_).value();
    Batch batch = tables("t", 2, 0);
    for (int i = 0; i < 60'000; ++i) {
      batch.begin(static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_NEWTABLE), NLM_F_CREATE,
                  nfgenmsg{.nfgen_family = AF_INET, .version = NFNETLINK_V0, .res_id = 0});
      batch.text(NFTA_TABLE_NAME, "t0");
    }
    ASSERT_GT(batch.size(), 1u << 20);
    // The end is in the middle: the kernel takes the transaction before it.
    const auto made = socket.request(batch, Until::after(clock_, std::chrono::milliseconds(100)));
    EXPECT_EQ(shell("nft list tables"), "table ip t0\ntable ip t1\n");
    EXPECT_FALSE(made.ok());
  });
}

TEST_F(SocketTest, ReceivesNotificationsUntilWoken) {
  inside([&] {
    Socket listener = Socket::listen(NETLINK_ROUTE, {RTNLGRP_LINK}, clock_).value();
    Socket socket = Socket::open(NETLINK_ROUTE, clock_).value();
    Batch batch;
    add_bridge(batch, "a");
    ASSERT_TRUE(socket.request(batch, soon()).ok());
    std::vector<std::string> seen;
    const auto take = [&](const Message& message) -> Result<void> {
      seen.emplace_back(message.attributes<ifinfomsg>().find(IFLA_IFNAME).text());
      return {};
    };
    ASSERT_TRUE(listener.receive(soon(), take).ok());
    ASSERT_FALSE(seen.empty());
    EXPECT_EQ(seen[0], "a");

    listener.wake();
    EXPECT_TRUE(listener.receive({}, take).ok());
    std::stop_source stop;
    const std::jthread stopper([&] { stop.request_stop(); });
    EXPECT_TRUE(listener.receive({.stop = stop.get_token()}, take).ok());
  });
}

TEST_F(SocketTest, LostNotificationsAreExpired) {
  inside([&] {
    Socket listener = Socket::listen(NETLINK_ROUTE, {RTNLGRP_LINK}, clock_).value();
    const int little = 4096;
    ASSERT_EQ(::setsockopt(listener.descriptor(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little),
              0);
    Socket socket = Socket::open(NETLINK_ROUTE, clock_).value();
    for (int i = 0; i < 30; ++i) {
      Batch batch;
      add_bridge(batch, "a" + std::to_string(i));
      ASSERT_TRUE(socket.request(batch, soon()).ok());
    }
    bool expired = false;
    for (int i = 0; i < 40 && !expired; ++i) {
      const auto got = listener.receive(Until{.deadline = Steady::min(), .stop = {}},
                                        [](const Message&) -> Result<void> { return {}; });
      expired = got.is(Reason::kExpired);
    }
    EXPECT_TRUE(expired);
  });
}

TEST_F(SocketTest, BelongsToTheNamespaceOfItsThread) {
  const auto other = make_namespace();
  std::optional<Socket> socket;
  inside([&] { socket = Socket::open(NETLINK_ROUTE, clock_).value(); });
  inside(*other, [&] {
    Batch batch;
    add_bridge(batch, "here");
    ASSERT_TRUE(socket->request(batch, soon()).ok());
  });
  inside([&] { EXPECT_EQ(links(*socket), (std::vector<std::string>{"lo", "here"})); });
}

}  // namespace
}  // namespace proa::netlink
