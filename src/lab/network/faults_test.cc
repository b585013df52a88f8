#include "lab/network/faults.h"

#include <gtest/gtest.h>

namespace proa::lab {
namespace {

using namespace std::chrono_literals;  // NOLINT: durations

TEST(Faults, AreReadBackAsTheyWerePrinted) {
  const std::vector<Fault> faults{
      {.a = "node-1", .b = "node-2"},
      {.a = "client", .b = "node-3", .delay = 50ms, .relay = 77, .relay_start = 123456}};
  EXPECT_EQ(parse_faults(print_faults(faults)), faults);
  EXPECT_EQ(print_faults(faults), "cut node-1 node-2\nslow client node-3 50ms 77 123456\n");
  EXPECT_TRUE(parse_faults("").empty());
  EXPECT_TRUE(parse_faults("cut a\nslow a b\nslow a b 0s 1 2\nslow a b 1x 1 2\nfoo a b\n").empty());
}

TEST(FaultRules, DropBetweenPortsAndBetweenAddresses) {
  const Plan plan = make_plan({.name = "a", .nodes = 2, .families = Families::kDual});
  EXPECT_EQ(fault_rules(plan, {{.a = "node-2", .b = "client"}}),
            R"(table bridge lab {}
delete table bridge lab
table bridge lab {
  chain forward {
    type filter hook forward priority 0
    iifname "node-2" oifname "client" drop
    iifname "client" oifname "node-2" drop
  }
}
table inet lab {}
delete table inet lab
table inet lab {
  chain forward {
    type filter hook forward priority 0
    iifname "node-2" oifname "client" drop
    iifname "client" oifname "node-2" drop
    ip saddr 172.30.0.12 ip daddr 172.30.255.2 drop
    ip saddr 172.30.255.2 ip daddr 172.30.0.12 drop
    ip6 saddr fd30:6c61:62::12 ip6 daddr fd30:6c61:62:255::2 drop
    ip6 saddr fd30:6c61:62:255::2 ip6 daddr fd30:6c61:62::12 drop
  }
}
)");
}

TEST(FaultRules, DropNothingWithoutFaults) {
  const std::string text = fault_rules(make_plan({.name = "a", .nodes = 2}), {});
  EXPECT_EQ(text.find("drop"), std::string::npos) << text;
}

}  // namespace
}  // namespace proa::lab
