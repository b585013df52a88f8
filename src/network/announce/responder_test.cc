#include "network/announce/responder.h"

#include <future>

#include "netlink/route/routing.h"
#include "netlink/route/write.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"

namespace proa::network {
namespace {

using netlink::NetworkNamespace;

// A client and two nodes on one bridge. The nodes have the announced addresses on their loopback,
// so that a datagram tells the whole way; the kernel itself does not answer for them on the link.
class ResponderTest : public testkit::NamespaceTest {
 protected:
  struct Machine {
    std::unique_ptr<NetworkNamespace> place;
    Responder::Link link;
  };

  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    inside([&] { shell("ip link add br0 type bridge && ip link set br0 up"); });
    client_ = make_machine("9");
    first_ = make_machine("1");
    second_ = make_machine("2");
    for (const Machine* node : {&first_, &second_}) {
      inside(*node->place, [&] {
        shell(
            "echo 1 > /proc/sys/net/ipv4/conf/all/arp_ignore &&"
            " ip address add 10.0.0.100/32 dev lo && ip address add fd00::100/128 dev lo");
      });
    }
  }

  Machine make_machine(const std::string& number) {
    Machine machine{.place = make_namespace(), .link = {}};
    inside([&] {
      netlink::Routing routing = netlink::Routing::open(clock_).value();
      netlink::Batch batch;
      netlink::add_veth(batch, {.name = "port" + number, .up = true}, {.name = "eth0"},
                        machine.place->descriptor());
      EXPECT_TRUE(routing.apply(batch).ok());
      shell("ip link set port" + number + " master br0");
    });
    inside(*machine.place, [&] {
      shell("ip link set lo up; ip link set eth0 up; ip address add 10.0.0." + number +
            "/24 dev eth0; ip address add fd00::" + number + "/64 dev eth0 nodad");
      netlink::Routing routing = netlink::Routing::open(clock_).value();
      const netlink::Link link = routing.link("eth0").value();
      machine.link = {link.index, link.mac};
    });
    return machine;
  }

  std::unique_ptr<Responder> open(const Machine& machine, Responder::Events events = {}) {
    std::unique_ptr<Responder> opened;
    inside(*machine.place, [&] {
      auto made = Responder::open(machine.link, clock_, std::move(events));
      EXPECT_TRUE(made.ok()) << made.status().message();
      if (made) opened = std::move(*made);
    });
    return opened;
  }

  // Whether a datagram from the client to the address arrives at this machine.
  bool reaches(const Machine& machine, const std::string& address) {
    return !seen_source(*client_.place, *machine.place, address).empty();
  }
  // The MAC that the client knows for an address.
  std::string known_mac(const std::string& address) {
    std::string text;
    inside(*client_.place, [&] { text = shell("ip neighbour show " + address); });
    const size_t at = text.find("lladdr ");
    return at == std::string::npos ? text : text.substr(at + 7, 17);
  }
  bool learns(const std::string& address, const Machine& machine) {
    return testkit::holds_within(std::chrono::seconds(10), [&] {
      return known_mac(address) == netlink::mac_text(machine.link.mac);
    });
  }

  const IpAddress v4_ = parse_ip("10.0.0.100").value();
  const IpAddress v6_ = parse_ip("fd00::100").value();
  Machine client_;
  Machine first_;
  Machine second_;
};

TEST_F(ResponderTest, AnswersForItsAddressesOnly) {
  auto responder = open(first_);
  EXPECT_FALSE(reaches(first_, "10.0.0.100"));
  ASSERT_TRUE(responder->set({v4_, v6_}).ok());
  EXPECT_TRUE(reaches(first_, "10.0.0.100"));
  EXPECT_TRUE(reaches(first_, "fd00::100"));
  EXPECT_EQ(known_mac("10.0.0.100"), netlink::mac_text(first_.link.mac));
  EXPECT_EQ(known_mac("fd00::100"), netlink::mac_text(first_.link.mac));
  // A process that ends answers no more.
  responder.reset();
  inside(*client_.place, [&] { shell("ip neighbour flush dev eth0"); });
  EXPECT_FALSE(reaches(first_, "fd00::100"));
}

TEST_F(ResponderTest, NeighboursFollowAnAddressThatMoves) {
  auto first = open(first_);
  auto second = open(second_);
  ASSERT_TRUE(first->set({v4_, v6_}).ok());
  EXPECT_TRUE(reaches(first_, "10.0.0.100"));
  EXPECT_TRUE(reaches(first_, "fd00::100"));
  first.reset();  // as if killed
  ASSERT_TRUE(second->set({v4_, v6_}).ok());
  EXPECT_TRUE(learns("10.0.0.100", second_));
  EXPECT_TRUE(learns("fd00::100", second_));
  EXPECT_TRUE(reaches(second_, "10.0.0.100"));
  EXPECT_TRUE(reaches(second_, "fd00::100"));
}

TEST_F(ResponderTest, HearsWhoElseClaimsAnAddress) {
  std::promise<IpAddress> claimed;
  std::atomic<bool> told = false;
  auto first = open(first_, {.claimed =
                                 [&](const IpAddress& address) {
                                   if (!told.exchange(true)) claimed.set_value(address);
                                 },
                             .broken = {}});
  ASSERT_TRUE(first->set({v4_}).ok());
  auto second = open(second_);
  ASSERT_TRUE(second->set({v4_}).ok());
  std::future<IpAddress> heard = claimed.get_future();
  ASSERT_EQ(heard.wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(heard.get(), v4_);
}

TEST_F(ResponderTest, SaysWhenItsLinkIsGone) {
  std::promise<void> broken;
  auto responder = open(first_, {.claimed = {}, .broken = [&] { broken.set_value(); }});
  ASSERT_TRUE(responder->set({v4_}).ok());
  inside([&] { shell("ip link delete port1"); });
  EXPECT_EQ(broken.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
}

TEST_F(ResponderTest, AnswersForMoreAddressesThanAFilterCompares) {
  auto responder = open(first_);
  std::set<IpAddress> many = {v4_, v6_};
  for (unsigned i = 0; i < 600; ++i) {
    IpAddress address = v4_;
    address.bytes[13] = 1;
    address.bytes[14] = static_cast<uint8_t>(i >> 8);
    address.bytes[15] = static_cast<uint8_t>(i);
    many.insert(address);
    address = v6_;
    address.bytes[13] = 1;
    address.bytes[14] = static_cast<uint8_t>(i >> 8);
    address.bytes[15] = static_cast<uint8_t>(i);
    many.insert(address);
  }
  ASSERT_TRUE(responder->set(many).ok());
  EXPECT_TRUE(reaches(first_, "10.0.0.100"));
  EXPECT_TRUE(reaches(first_, "fd00::100"));
}

}  // namespace
}  // namespace proa::network
