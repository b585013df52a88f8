#include "lab/plan/plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::lab {
namespace {

// One line per machine: name, addresses, gateways, the port's addresses, MAC addresses.
std::string summary(const Plan& plan) {
  const auto texts = [](const auto& list) {
    std::vector<std::string> parts;
    for (const auto& each : list) {
      if constexpr (requires { each.bits; }) {
        parts.push_back(fmt::format("{}/{}", each.address.str(), each.bits));
      } else {
        parts.push_back(each.str());
      }
    }
    return parts.empty() ? "-" : join(parts, ",");
  };
  std::string text = "bridge " + texts(plan.bridge_addresses) + "\n";
  for (const Machine& machine : plan.machines) {
    if (machine.role == Role::kSwitch) continue;
    const Cable& cable = machine.cable;
    text += fmt::format("{} {} via {} port {} {}\n", machine.name, texts(cable.addresses),
                        texts(cable.gateways), cable.bridged ? "br0" : texts(cable.port_addresses),
                        print_mac(cable.mac));
  }
  return text;
}

TEST(MakePlan, PutsAllNodesInOneSubnetOfTheBridge) {
  EXPECT_EQ(summary(make_plan({.name = "a", .nodes = 2})),
            "bridge 172.30.0.1/24\n"
            "node-1 172.30.0.11/24 via 172.30.0.1 port br0 02:70:72:6f:00:01\n"
            "node-2 172.30.0.12/24 via 172.30.0.1 port br0 02:70:72:6f:00:02\n"
            "client 172.30.255.2/24 via 172.30.255.1 port 172.30.255.1/24 02:70:72:6f:00:ff\n");
}

TEST(MakePlan, GivesEveryNodeASubnetIfTheyAreRouted) {
  EXPECT_EQ(
      summary(make_plan(
          {.name = "a", .nodes = 2, .topology = Topology::kRouted, .families = Families::kDual})),
      "bridge -\n"
      "node-1 172.30.1.11/24,fd30:6c61:62:1::11/64 via 172.30.1.1,fd30:6c61:62:1::1 port "
      "172.30.1.1/24,fd30:6c61:62:1::1/64 02:70:72:6f:00:01\n"
      "node-2 172.30.2.12/24,fd30:6c61:62:2::12/64 via 172.30.2.1,fd30:6c61:62:2::1 port "
      "172.30.2.1/24,fd30:6c61:62:2::1/64 02:70:72:6f:00:02\n"
      "client 172.30.255.2/24,fd30:6c61:62:255::2/64 via 172.30.255.1,fd30:6c61:62:255::1 "
      "port 172.30.255.1/24,fd30:6c61:62:255::1/64 02:70:72:6f:00:ff\n");
}

TEST(MakePlan, StartsTheSwitchThenTheServerThenTheOthers) {
  const Plan plan = make_plan({.name = "a", .nodes = kMostNodes});
  ASSERT_EQ(plan.machines.size(), kMostNodes + 2u);
  EXPECT_EQ(plan.machines[0].role, Role::kSwitch);
  EXPECT_EQ(plan.machines[1].role, Role::kServer);
  EXPECT_EQ(plan.machines[2].role, Role::kNode);
  EXPECT_EQ(plan.machines.back().role, Role::kClient);
  EXPECT_EQ(plan.server, "https://172.30.0.11:6443");
}

TEST(MakePlan, PassesFlagsOnAndNamesTheServer) {
  const Plan plan = make_plan({.name = "a",
                               .nodes = 2,
                               .families = Families::kV6,
                               .server_flags = {"--x=1"},
                               .node_flags = {"--y=2"}});
  EXPECT_EQ(plan.server, "https://[fd30:6c61:62::11]:6443");
  const std::string server = join(plan.machines[1].service, " ");
  EXPECT_TRUE(server.starts_with("up --listen=[::]:6443 ")) << server;
  EXPECT_TRUE(server.ends_with(" --x=1")) << server;
  EXPECT_EQ(join(plan.machines[2].service, " "),
            "node --server=https://[fd30:6c61:62::11]:6443 --node-name=node-2 "
            "--node-ip=fd30:6c61:62::12 --y=2");
  EXPECT_TRUE(plan.machines[3].service.empty());
}

TEST(MakePlan, GivesAServerThatIsApartAMachineOfItsOwn) {
  const Plan plan = make_plan({.name = "a", .nodes = 1, .server_apart = true});
  EXPECT_EQ(summary(plan),
            "bridge 172.30.0.1/24\n"
            "server 172.30.0.10/24 via 172.30.0.1 port br0 02:70:72:6f:00:fe\n"
            "node-1 172.30.0.11/24 via 172.30.0.1 port br0 02:70:72:6f:00:01\n"
            "client 172.30.255.2/24 via 172.30.255.1 port 172.30.255.1/24 02:70:72:6f:00:ff\n");
  EXPECT_EQ(join(plan.machines[1].service, " "),
            "server --listen=0.0.0.0:6443 --advertise-address=172.30.0.10 "
            "--service-cluster-ip-range=10.96.0.0/16");
  EXPECT_EQ(join(plan.machines[2].service, " "),
            "node --server=https://172.30.0.10:6443 --node-name=node-1 --node-ip=172.30.0.11");
  const Plan routed =
      make_plan({.name = "a", .nodes = 1, .server_apart = true, .topology = Topology::kRouted});
  EXPECT_EQ(routed.server, "https://172.30.254.10:6443");
}

TEST(MakePlan, NamesAllMachinesInTheHostsFile) {
  EXPECT_EQ(make_plan({.name = "a", .nodes = 1}).hosts,
            "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"
            "172.30.0.11 node-1\n172.30.255.2 client\n");
}

TEST(FindMachine, NamesThoseThatExist) {
  const Plan plan = make_plan({.name = "a", .nodes = 1});
  EXPECT_EQ((*plan.find("node-1"))->name, "node-1");
  const auto missing = plan.find("node-9");
  ASSERT_TRUE(missing.is(Reason::kNotFound));
  EXPECT_EQ(missing.status().message(),
            "no machine is named 'node-9'; those of the lab: switch, node-1, client");
}

}  // namespace
}  // namespace proa::lab
