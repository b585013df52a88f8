#include "controllers/network/balancers/port_conflicts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace proa::controllers {
namespace {

TEST(HasPortBefore, WhoHasAddressesThenTheOlderOne) {
  const auto service = [](std::string_view name, std::string_view created, bool has_address) {
    return api::Object::make(fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"d","creationTimestamp":"{}"}},"spec":{{)"
        R"("type":"LoadBalancer"}},"status":{{"loadBalancer":{{{}}}}}}})",
        name, created, has_address ? R"("ingress":[{"ip":"192.0.2.1"}])" : ""));
  };
  constexpr const char* kOld = "2026-01-01T00:00:00Z";
  constexpr const char* kNew = "2026-01-02T00:00:00Z";
  const auto precedes = [](const api::ObjectPtr& a, const api::ObjectPtr& b) {
    EXPECT_NE(has_port_before(*a, *b), has_port_before(*b, *a));
    return has_port_before(*a, *b);
  };
  EXPECT_TRUE(precedes(service("b", kOld, false), service("a", kNew, false)));
  EXPECT_TRUE(precedes(service("b", kNew, true), service("a", kOld, false)));
  EXPECT_TRUE(precedes(service("a", kOld, true), service("b", kOld, true)));
}

TEST(ChooseNodeAddresses, AreOfUsableNodesAndOfTheFamiliesAskedFor) {
  const auto node = [](std::string_view addresses, std::string_view metadata = "",
                       std::string_view spec = "", std::string_view ready = "True") {
    return api::Object::make(
        fmt::format(R"({{"metadata":{{"name":"n"{}}},"spec":{{{}}},"status":{{"conditions":[)"
                    R"({{"type":"Ready","status":"{}"}}],"addresses":[{}]}}}})",
                    metadata, spec, ready, addresses));
  };
  constexpr const char* kBoth = R"({"type":"InternalIP","address":"192.0.2.1"},)"
                                R"({"type":"ExternalIP","address":"198.51.100.1"},)"
                                R"({"type":"InternalIP","address":"2001:db8::1"})";
  constexpr const char* kOne = R"({"type":"InternalIP","address":"192.0.2.2"})";
  const auto excluded = [](std::string_view value) {
    return fmt::format(
        R"(,"labels":{{"node.kubernetes.io/exclude-from-external-load-balancers":"{}"}})", value);
  };
  struct Case {
    const char* name;
    std::vector<api::ObjectPtr> nodes;
    std::vector<IpFamily> families;
    const char* addresses;
    std::vector<PortUse> uses = {};
  };
  const Case cases[] = {
      {"one family", {node(kBoth), node(kOne)}, {IpFamily::kV4}, "192.0.2.1 192.0.2.2"},
      {"both families",
       {node(kBoth), node(kOne)},
       {IpFamily::kV6, IpFamily::kV4},
       "2001:db8::1 192.0.2.1 192.0.2.2"},
      {"not ready", {node(kOne, "", "", "Unknown")}, {IpFamily::kV4}, ""},
      {"excluded", {node(kOne, excluded("true"))}, {IpFamily::kV4}, ""},
      {"excluded by nothing that is a boolean", {node(kOne, excluded("x"))}, {IpFamily::kV4}, ""},
      {"not excluded", {node(kOne, excluded("false"))}, {IpFamily::kV4}, "192.0.2.2"},
      {"going",
       {node(kOne, "", R"("taints":[{"key":"ToBeDeletedByClusterAutoscaler"}])")},
       {IpFamily::kV4},
       ""},
      {"being deleted",
       {node(kOne, R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")")},
       {IpFamily::kV4},
       ""},
      {"used on all nodes", {node(kOne)}, {IpFamily::kV4}, "", {{"80/TCP", "x"}}},
      {"used on another node", {node(kOne)}, {IpFamily::kV4}, "192.0.2.2", {{"80/TCP", "x", "m"}}},
      {"used in one family",
       {node(kBoth)},
       {IpFamily::kV4, IpFamily::kV6},
       "192.0.2.1",
       {{"80/TCP", "x", "", IpFamily::kV6}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(join(choose_node_addresses(c.nodes, c.families, c.uses).addresses, " "), c.addresses);
  }
}

}  // namespace
}  // namespace proa::controllers
