#include "proxy/iptables/restore_text.h"

#include <gtest/gtest.h>

#include "testkit/golden.h"
#include "testkit/proxy/service_script.h"

namespace proa::proxy::iptables {
namespace {

NodeFacts test_node() {
  NodeFacts node{.name = "here", .zone = "a"};
  node.addresses = {parse_ip("192.0.2.10").value(), parse_ip("2001:db8::10").value()};
  node.pod_ranges = {parse_prefix("10.1.0.0/16").value(), parse_prefix("fd01::/48").value()};
  return node;
}

std::vector<Change> changes_between(std::string_view before, std::string_view after,
                                    const NodeFacts& node) {
  std::vector<Change> changes;
  std::vector<ServicePortPtr> old = testkit::ports_of(before, node);
  for (const ServicePortPtr& port : testkit::ports_of(after, node)) {
    const auto same = std::find_if(old.begin(), old.end(), [&port](const ServicePortPtr& one) {
      return one->name == port->name && one->family == port->family;
    });
    changes.push_back({.before = same == old.end() ? nullptr : *same, .after = port});
    if (same != old.end()) old.erase(same);
  }
  for (const ServicePortPtr& port : old) changes.push_back({.before = port, .after = nullptr});
  return changes;
}

std::string in_family(Family family, std::string_view command) {
  const NodeFacts node = test_node();
  constexpr std::string_view kWhole = "whole\n";
  if (command.starts_with(kWhole)) {
    return whole_text(family, node, testkit::ports_of(command.substr(kWhole.size()), node), {}, {});
  }
  constexpr std::string_view kTo = "\nto\n";
  const size_t to = command.find(kTo);
  const size_t from = command.find('\n') + 1;
  return change_text(family, node,
                     changes_between(command.substr(from, to - from),
                                     command.substr(to + kTo.size()), node),
                     {})
      .text;
}

// "whole", then Services; or "change", Services as they were, "to", Services as they are.
TEST(RestoreText, ForIpv4) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/ipv4.txt",
                      [](std::string_view command) { return in_family(Family::kV4, command); });
}

TEST(RestoreText, ForIpv6) {
  testkit::run_golden(std::filesystem::path(__FILE__).parent_path() / "testdata/ipv6.txt",
                      [](std::string_view command) { return in_family(Family::kV6, command); });
}

TEST(RestoreText, InsertsJumpsThatAreMissingAndRemovesStaleChains) {
  Saved saved;
  saved.nat = SavedTable::read(
      "*nat\n:PREROUTING ACCEPT [0:0]\n:KUBE-SVC-OLD - [0:0]\n:KUBE-OTHER - [0:0]\n"
      "-A PREROUTING -m comment --comment \"kubernetes service portals\" -j KUBE-SERVICES\n"
      "-A KUBE-SVC-OLD -j KUBE-SEP-OLD\nCOMMIT\n");
  const std::string text = whole_text(Family::kV4, test_node(), {}, {}, saved);
  EXPECT_EQ(text.find("-I PREROUTING"), std::string::npos);
  EXPECT_NE(text.find("-I OUTPUT -m comment --comment \"kubernetes service portals\""),
            std::string::npos);
  EXPECT_NE(text.find("-X KUBE-SVC-OLD\n"), std::string::npos);
  EXPECT_EQ(text.find("KUBE-OTHER"), std::string::npos);
}

TEST(RestoreText, RemovesOnlyWhatIsOurs) {
  Saved saved;
  EXPECT_EQ(removal_text(saved), "");
  saved.filter = SavedTable::read(
      ":INPUT ACCEPT [0:0]\n:KUBE-FIREWALL - [0:0]\n:KUBE-FORWARD - [0:0]\n:OTHER - [0:0]\n"
      "-A INPUT -j KUBE-FIREWALL\n-A INPUT -j OTHER\n");
  EXPECT_EQ(removal_text(saved),
            "*filter\n:KUBE-FIREWALL - [0:0]\n:KUBE-FORWARD - [0:0]\n-D INPUT -j KUBE-FIREWALL\n"
            "-X KUBE-FIREWALL\n-X KUBE-FORWARD\nCOMMIT\n");
  // A kubelet of another maker keeps its chain.
  saved.filter.chains.emplace("KUBE-KUBELET-CANARY");
  EXPECT_EQ(removal_text(saved), "*filter\n:KUBE-FORWARD - [0:0]\n-X KUBE-FORWARD\nCOMMIT\n");
}

TEST(RestoreText, LongInputGetsMoreTime) {
  EXPECT_EQ(time_to_restore(""), std::chrono::minutes(2));
  std::string text;
  for (int i = 0; i < 60'000; ++i) text += "-A X\n";
  EXPECT_EQ(time_to_restore(text), std::chrono::minutes(22));
}

}  // namespace
}  // namespace proa::proxy::iptables
