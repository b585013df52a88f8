#include "netlink/route/routing.h"

#include <linux/rtnetlink.h>

#include <algorithm>

#include "netlink/route/read.h"
#include "netlink/route/write.h"
#include "testkit/netlink/namespace_test_base.h"

namespace proa::netlink {
namespace {

class RoutingTest : public testkit::NamespaceTest {
 protected:
  void apply(Routing& routing, const std::function<void(Batch&)>& write) {
    Batch batch;
    write(batch);
    const auto applied = routing.apply(batch);
    EXPECT_TRUE(applied.ok()) << applied.status().message();
  }

  static Link bridge(std::string name) {
    return {.name = std::move(name), .kind = "bridge", .mtu = 1400, .up = true};
  }
};

TEST(MacAddress, IsPrintedAndReadBack) {
  const MacAddress mac{0x02, 0, 0xab, 0xff, 0, 1};
  EXPECT_EQ(mac_text(mac), "02:00:ab:ff:00:01");
  EXPECT_EQ(parse_mac("02:00:AB:ff:00:01"), mac);
  for (const std::string_view bad :
       {"", "02:00:ab:ff:00", "02:00:ab:ff:00:0g", "02-00:ab:ff:00:01"})
    EXPECT_FALSE(parse_mac(bad).has_value()) << bad;
}

TEST_F(RoutingTest, MakesListsAndRemovesLinks) {
  inside([&] {
    Routing routing = Routing::open(clock_).value();
    EXPECT_TRUE(routing.link("proa0").is(Reason::kNotFound));
    EXPECT_TRUE(routing.link("a name that is too long").is(Reason::kNotFound));
    apply(routing, [](Batch& batch) {
      add_link(batch, bridge("proa0"));
      add_link(batch, {.name = "vx",
                       .kind = "vxlan",
                       .mtu = 1350,
                       .mac = {2, 0, 0, 0, 0, 1},
                       .vxlan = Vxlan{.id = 7, .port = 8472, .local = parse_ip("10.0.0.1")}});
      add_link(batch, {.name = "vx6",
                       .kind = "vxlan",
                       .vxlan = Vxlan{.id = 8, .port = 8472, .local = parse_ip("fd00::1")}});
    });
    const auto bridge = routing.link("proa0");
    ASSERT_TRUE(bridge.ok());
    EXPECT_EQ(bridge->kind, "bridge");
    EXPECT_EQ(bridge->mtu, 1400u);
    EXPECT_TRUE(bridge->up);
    const auto vxlan = routing.link("vx");
    ASSERT_TRUE(vxlan.ok() && vxlan->vxlan.has_value());
    EXPECT_EQ(*vxlan->vxlan, (Vxlan{.id = 7, .port = 8472, .local = parse_ip("10.0.0.1")}));
    EXPECT_EQ(mac_text(vxlan->mac), "02:00:00:00:00:01");
    EXPECT_FALSE(vxlan->up);
    EXPECT_EQ(routing.link("vx6")->vxlan->local, parse_ip("fd00::1"));
    EXPECT_NE(shell("ip -d link show vx").find("nolearning"), std::string::npos);
    EXPECT_EQ(routing.links()->size(), 4u);

    apply(routing, [&](Batch& batch) {
      set_link_up(batch, vxlan->index, true);
      set_link_mtu(batch, vxlan->index, 1300);
      remove_link(batch, bridge->index);
    });
    EXPECT_TRUE(routing.link("vx")->up);
    EXPECT_EQ(routing.link("vx")->mtu, 1300u);
    EXPECT_TRUE(routing.link("proa0").is(Reason::kNotFound));
  });
}

TEST_F(RoutingTest, JoinsNamespacesByVeth) {
  const auto other = make_namespace();
  inside([&] {
    Routing routing = Routing::open(clock_).value();
    apply(routing, [&](Batch& batch) {
      add_link(batch, bridge("br"));
      add_veth(batch, {.name = "here", .up = true}, {.name = "eth0", .mtu = 1400},
               other->descriptor());
    });
    const int here = routing.link("here")->index;
    const int master = routing.link("br")->index;
    apply(routing, [&](Batch& batch) {
      set_link_master(batch, here, master);
      set_link_hairpin(batch, here, true);
      put_address(batch, {.link = master, .address = *parse_ip("10.1.0.1"), .bits = 24});
      put_address(batch, {.link = master, .address = *parse_ip("fd01::1"), .bits = 64});
    });
    EXPECT_EQ(routing.link("here")->master, master);
    EXPECT_NE(shell("bridge -d link show dev here").find("hairpin on"), std::string::npos);
    // Again is no failure.
    apply(routing, [&](Batch& batch) {
      put_address(batch, {.link = master, .address = *parse_ip("10.1.0.1"), .bits = 24});
    });
    const auto addresses = routing.addresses();
    ASSERT_TRUE(addresses.ok());
    EXPECT_EQ(
        std::ranges::count(
            *addresses, LinkAddress{.link = master, .address = *parse_ip("10.1.0.1"), .bits = 24}),
        1);
  });
  inside(*other, [&] {
    Routing routing = Routing::open(clock_).value();
    const auto link = routing.link("eth0");
    ASSERT_TRUE(link.ok());
    EXPECT_EQ(link->mtu, 1400u);
    apply(routing, [&](Batch& batch) {
      set_link_up(batch, link->index, true);
      put_address(batch, {.link = link->index, .address = *parse_ip("10.1.0.2"), .bits = 24});
    });
  });
  EXPECT_EQ(seen_source(*other, *namespace_, "10.1.0.1"), "10.1.0.2");
}

TEST_F(RoutingTest, MakesListsAndRemovesRoutes) {
  inside([&] {
    Routing routing = Routing::open(clock_).value();
    apply(routing, [](Batch& batch) { add_link(batch, bridge("br")); });
    const int link = routing.link("br")->index;
    apply(routing, [&](Batch& batch) {
      put_address(batch, {.link = link, .address = *parse_ip("10.1.0.1"), .bits = 24});
      put_address(batch, {.link = link, .address = *parse_ip("fd01::1"), .bits = 64});
    });
    const std::vector<Route> wanted = {
        {.destination = *parse_prefix("10.244.1.0/24"),
         .gateway = parse_ip("10.1.0.2"),
         .link = link,
         .source = parse_ip("10.1.0.1"),
         .protocol = 77,
         .mtu = 1300},
        {.destination = *parse_prefix("10.244.2.0/24"), .link = link, .protocol = 77},
        {.destination = *parse_prefix("0.0.0.0/0"),
         .gateway = parse_ip("192.168.7.7"),
         .link = link,
         .onlink = true,
         .table = 1000,
         .protocol = 77,
         .metric = 5},
        {.destination = *parse_prefix("fd02::/64"),
         .gateway = parse_ip("fd01::2"),
         .link = link,
         .protocol = 77,
         .metric = 1024},
    };
    apply(routing, [&](Batch& batch) {
      for (const Route& route : wanted) put_route(batch, route);
      for (const Route& route : wanted) put_route(batch, route);
    });
    const auto own = [&] {
      std::vector<Route> found = routing.routes().value();
      std::erase_if(found, [](const Route& route) { return route.protocol != 77; });
      return found;
    };
    const std::vector<Route> found = own();
    ASSERT_EQ(found.size(), wanted.size());
    for (const Route& route : wanted) {
      EXPECT_EQ(std::ranges::count(found, route), 1) << route.str() << "\n" << found[0].str();
    }
    const auto way = routing.way_to(*parse_ip("10.244.1.7"));
    ASSERT_TRUE(way.ok());
    EXPECT_EQ(way->gateway, parse_ip("10.1.0.2"));
    EXPECT_EQ(way->source, parse_ip("10.1.0.1"));
    EXPECT_TRUE(routing.way_to(*parse_ip("10.1.0.1"))->local);
    EXPECT_FALSE(routing.way_to(*parse_ip("10.1.0.3"))->gateway.has_value());
    EXPECT_TRUE(routing.way_to(*parse_ip("11.0.0.1")).is(Reason::kNotFound));
    EXPECT_EQ(routing.way_to(*parse_ip("fd02::5"))->gateway, parse_ip("fd01::2"));

    apply(routing, [&](Batch& batch) {
      for (const Route& route : wanted) remove_route(batch, route);
    });
    EXPECT_TRUE(own().empty());
    Batch batch;
    remove_route(batch, wanted[0]);
    EXPECT_TRUE(routing.apply(batch).is(Reason::kNotFound));
  });
}

TEST_F(RoutingTest, MakesListsAndRemovesNeighbours) {
  inside([&] {
    Routing routing = Routing::open(clock_).value();
    apply(routing, [](Batch& batch) {
      add_link(batch,
               {.name = "vx", .kind = "vxlan", .up = true, .vxlan = Vxlan{.id = 7, .port = 8472}});
      add_link(batch, bridge("br"));
    });
    const int link = routing.link("vx")->index;
    const MacAddress mac{2, 0, 0, 0, 0, 9};
    const std::vector<Neighbour> wanted = {
        {.link = link, .address = parse_ip("10.244.1.0"), .mac = mac},
        {.link = link, .address = parse_ip("fd02::"), .mac = mac}};
    const Neighbour behind{
        .link = link, .forwarding = true, .address = parse_ip("10.0.0.2"), .mac = mac};
    apply(routing, [&](Batch& batch) {
      for (int twice = 0; twice < 2; ++twice) {
        for (const Neighbour& neighbour : wanted) put_neighbour(batch, neighbour);
        put_neighbour(batch, behind);
      }
    });
    auto found = routing.neighbours(link).value();
    std::erase_if(found, [](const Neighbour& neighbour) { return !neighbour.permanent; });
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(routing.forwarding(link).value(), std::vector<Neighbour>{behind});
    EXPECT_NE(shell("bridge fdb show dev vx").find("02:00:00:00:00:09 dst 10.0.0.2 self permanent"),
              std::string::npos);
    // The machine behind it changes.
    Neighbour moved = behind;
    moved.address = parse_ip("10.0.0.3");
    apply(routing, [&](Batch& batch) { put_neighbour(batch, moved); });
    EXPECT_EQ(routing.forwarding(link).value(), std::vector<Neighbour>{moved});

    apply(routing, [&](Batch& batch) {
      for (const Neighbour& neighbour : wanted) remove_neighbour(batch, neighbour);
      remove_neighbour(batch, moved);
    });
    EXPECT_TRUE(routing.forwarding(link).value().empty());
  });
}

TEST_F(RoutingTest, HearsOfChanges) {
  inside([&] {
    Socket listener = listen_for_routes(clock_).value();
    Routing routing = Routing::open(clock_).value();
    apply(routing, [](Batch& batch) { add_link(batch, bridge("br")); });
    const int link = routing.link("br")->index;
    apply(routing, [&](Batch& batch) {
      put_address(batch, {.link = link, .address = *parse_ip("10.1.0.1"), .bits = 24});
      put_route(batch, {.destination = *parse_prefix("10.9.0.0/16"), .link = link});
    });
    bool seen_link = false;
    bool seen_address = false;
    bool seen_route = false;
    ASSERT_TRUE(listener
                    .receive(soon(),
                             [&](const Message& message) -> Result<void> {
                               const auto made = read_link(message);
                               seen_link = seen_link || (made && made->name == "br");
                               seen_address = seen_address || read_address(message).has_value();
                               const auto route = read_route(message);
                               seen_route = seen_route ||
                                            (route && route->destination.str() == "10.9.0.0/16");
                               return {};
                             })
                    .ok());
    EXPECT_TRUE(seen_link && seen_address && seen_route);
  });
}

}  // namespace
}  // namespace proa::netlink
