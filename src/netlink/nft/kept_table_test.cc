#include "netlink/nft/kept_table.h"

#include <gtest/gtest.h>
#include <linux/netlink.h>

#include "netlink/nft/listing.h"
#include "netlink/nft/print.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/netlink/nft_text.h"

namespace proa::netlink::nft {
namespace {

using Kind = Verdict::Kind;

Element lead(const char* address, Verdict verdict) {
  return {KeyWriter().address(parse_ip(address).value()).take(), verdict};
}

Table table_of(std::vector<Element> elements, Verdict last = {}) {
  return {{Family::kIp, "proa-test"},
          {{{"ends", {Type::kAddress}, Set::Values::kVerdicts}, std::move(elements)}},
          {{"c", {}, {{VerdictOf{{Key{{Field::kDestination}}, "ends"}}}, {last}}}}};
}

class KeptTableTest : public testkit::NamespaceTest {
 protected:
  void with_socket(const std::function<void(Socket&)>& body) {
    inside([&] {
      auto socket = Socket::open(NETLINK_NETFILTER, clock_);
      ASSERT_TRUE(socket.ok()) << socket.status().message();
      body(*socket);
    });
  }

  // Sets it, and looks what the kernel has.
  void keep(Socket& socket, const Table& wanted) {
    const auto done = kept_.set(socket, wanted, soon());
    ASSERT_TRUE(done.ok()) << done.status().message();
    EXPECT_EQ(testkit::sorted_listing(shell("nft list ruleset")),
              wanted.chains.empty() ? "" : print(wanted));
  }

  // Numbers of rules: those of a table that was written anew are others.
  std::string handles() { return shell("nft -a list chain ip proa-test c"); }

  KeptTable kept_;
};

TEST_F(KeptTableTest, SendsElementsThatDiffer) {
  with_socket([&](Socket& socket) {
    const Verdict drop{Kind::kDrop};
    keep(socket, table_of({lead("10.0.0.80", {}), lead("10.0.0.81", drop), lead("10.0.0.82", {})}));
    shell("nft add table ip others");
    const std::string before = handles();
    ASSERT_TRUE(
        kept_
            .set(socket,
                 table_of({lead("10.0.0.81", {}), lead("10.0.0.82", {}), lead("10.0.0.90", drop)}),
                 soon())
            .ok());
    shell("nft delete table ip others");
    EXPECT_EQ(handles(), before) << "the rules stay";
    keep(socket, table_of({lead("10.0.0.81", {}), lead("10.0.0.82", {}), lead("10.0.0.90", drop)}));
    EXPECT_EQ(handles(), before);
    keep(socket, table_of({lead("10.0.0.81", {})}, drop));
    EXPECT_NE(handles(), before);
    keep(socket, {{Family::kIp, "proa-test"}, {}, {}});
  });
}

TEST_F(KeptTableTest, ComesBackAfterOthersDeletedIt) {
  with_socket([&](Socket& socket) {
    keep(socket, table_of({lead("10.0.0.80", {})}));
    shell("nft delete table ip proa-test");
    keep(socket, table_of({lead("10.0.0.80", {}), lead("10.0.0.81", {})}));
    // Without a difference, somebody has to say so.
    shell("nft flush map ip proa-test ends");
    kept_.forget();
    keep(socket, table_of({lead("10.0.0.80", {}), lead("10.0.0.81", {})}));
    ASSERT_TRUE(kept_.remove(socket, {Family::kIp, "proa-test"}, soon()).ok());
    EXPECT_EQ(shell("nft list ruleset"), "");
    EXPECT_TRUE(kept_.remove(socket, {Family::kIp, "proa-test"}, soon()).ok());
  });
}

}  // namespace
}  // namespace proa::netlink::nft
