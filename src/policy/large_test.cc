// Policies as large as the API takes: they neither stop the policies of others nor cost more than
// they list.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/objects/read_facts.h"
#include "testkit/netlink/namespace_test_base.h"
#include "testkit/patience.h"
#include "testkit/policy/policy_world.h"

namespace proa::policy {
namespace {

template <typename Item>
std::string list_of(int count, const Item& item) {
  std::string text;
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + item(i);
  return "[" + text + "]";
}

class LargePolicyTest : public testkit::NamespaceTest {
 protected:
  // Pods a/p and b/p of this node, and c/p of another one.
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    for (const char* name : {"a", "b", "c"}) {
      world_.put_namespace(name, "");
      world_.put_pod(name, "p", R"("app":"p")", {address(name)}, *name == 'c' ? "there" : "here",
                     R"({"name":"p7","containerPort":80})");
    }
    world_.put_policy("b", "deny", R"({"podSelector":{},"policyTypes":["Ingress"]})");
  }
  static std::string address(const std::string& name) {
    return "10.0.0." + std::to_string(name[0]);
  }
  // Restricts what the pod of namespace a sends. Fails the program if the kernel refuses it.
  void put_egress(const std::string& rules) {
    world_.put_policy("a", "large",
                      R"({"podSelector":{},"policyTypes":["Egress"],"egress":)" + rules + "}");
    inside([&] { world_.settle(); });
  }
  bool allows(const std::string& to, uint16_t port) {
    return world_.agent().model().allows(
        {parse_ip(address("a")).value(), parse_ip(to).value(), 6, port});
  }
  // Those of the whole table.
  size_t sets() { return world_.agent().model().sets().all().size(); }
  std::string listed() {
    std::string text;
    inside([&] { text = shell("nft list table ip proa-policy"); });
    return text;
  }

  testkit::PolicyWorld world_;
};

// A rule of the kernel has at most 128 expressions.
TEST_F(LargePolicyTest, HasManyExceptions) {
  put_egress(R"([{"to":[{"ipBlock":{"cidr":"192.168.0.0/16","except":)" +
             list_of(128, [](int i) { return fmt::format(R"("192.168.{}.0/24")", 2 * i); }) +
             "}}]}]");
  EXPECT_FALSE(allows("192.168.254.1", 80));
  EXPECT_TRUE(allows("192.168.255.1", 80));
  EXPECT_NE(listed().find("192.168.255.0/24"), std::string::npos);
  EXPECT_NE(listed().find("b/deny"), std::string::npos);
}

TEST_F(LargePolicyTest, HasManyBlocksAndPorts) {
  put_egress(
      R"([{"to":)" +
      list_of(5000,
              [](int i) {
                return fmt::format(R"({{"ipBlock":{{"cidr":"20.{}.{}.0/25"}}}})", i / 256, i % 256);
              }) +
      R"(,"ports":)" +
      list_of(5000, [](int i) { return fmt::format(R"({{"port":{}}})", 2 * i + 1); }) + "}]");
  EXPECT_TRUE(allows("20.1.1.1", 9999));
  EXPECT_FALSE(allows("20.1.1.1", 9998));
  EXPECT_FALSE(allows("20.1.1.200", 9999));
  // Two sets, not a rule for each.
  const std::string text = listed();
  EXPECT_NE(text.find("ip daddr @ranges-out/1/1 "), std::string::npos);
  EXPECT_NE(text.find("@ranges-out/1/2 accept"), std::string::npos)
      << text.substr(text.size() - 800);
}

// Others do not wait for whoever changes large policies in a loop.
TEST_F(LargePolicyTest, RestsAfterAChange) {
  inside([&] { world_.settle(); });
  // Until there is no more to do, or only later.
  const auto work = [&] {
    Steady due = Steady::max();
    inside([&] {
      for (int i = 0; i < 10; ++i) {
        world_.agent().poll();
        due = world_.agent().step();
      }
    });
    return due;
  };
  const auto receives = [&](const std::string& name) {
    return world_.agent().model().allows(
        {parse_ip(address("c")).value(), parse_ip(address(name)).value(), 6, 80});
  };
  world_.put_policy(
      "a", "large",
      R"({"podSelector":{},"policyTypes":["Egress"],"egress":[{"to":)" + list_of(20000, [](int i) {
        return fmt::format(R"({{"ipBlock":{{"cidr":"20.{}.{}.0/25"}}}})", i / 256, i % 256);
      }) + "}]}");
  EXPECT_EQ(work(), Steady::max());
  EXPECT_TRUE(allows("20.1.1.1", 80));
  // It has many selectors, and so its turn comes later.
  world_.put_policy(
      "a", "next",
      R"({"podSelector":{},"policyTypes":["Ingress"],"ingress":[{"from":)" + list_of(30, [](int i) {
        return fmt::format(R"({{"podSelector":{{"matchLabels":{{"app":"q{}"}}}}}})", i);
      }) + "}]}");
  world_.remove_policy("b", "deny");
  EXPECT_NE(work(), Steady::max());
  EXPECT_TRUE(receives("a")) << "as before";
  EXPECT_TRUE(receives("b"));
  EXPECT_TRUE(
      testkit::holds_within(std::chrono::seconds(20), [&] { return work() == Steady::max(); }));
  EXPECT_FALSE(receives("a"));
}

TEST_F(LargePolicyTest, HasManyNamesOfPorts) {
  const size_t before = sets();
  put_egress(R"([{"to":)" +
             list_of(100,
                     [](int i) {
                       return fmt::format(
                           R"({{"namespaceSelector":{{}},"podSelector":{{"matchLabels":)"
                           R"({{"app":"{}"}}}}}})",
                           i == 0 ? "p" : fmt::format("q{}", i));
                     }) +
             R"(,"ports":)" +
             list_of(2000, [](int i) { return fmt::format(R"({{"port":"p{}"}})", i); }) + "}]");
  EXPECT_TRUE(allows(address("c"), 80));
  EXPECT_FALSE(allows(address("c"), 81));
  EXPECT_FALSE(allows("10.1.0.0", 80));
  // Not one for each peer and name.
  EXPECT_LE(sets() - before, 101u);
}

TEST_F(LargePolicyTest, AllowsNothingBeyondTheLimit) {
  const auto peers = [](size_t count) {
    return R"([{"to":)" +
           list_of(static_cast<int>(count),
                   [](int i) {
                     return fmt::format(
                         R"({{"namespaceSelector":{{}},"podSelector":{{"matchExpressions":)"
                         R"([{{"key":"x","operator":"NotIn","values":["v{}"]}}]}}}})",
                         i);
                   }) +
           "}]";
  };
  put_egress(peers(kMostSelectors));
  EXPECT_TRUE(allows(address("c"), 80));
  put_egress(peers(kMostSelectors + 1));
  EXPECT_FALSE(allows(address("c"), 80));
  EXPECT_EQ(sets(), 0u);
  put_egress(list_of(kMostRules + 1,
                     [](int i) { return fmt::format(R"({{"ports":[{{"port":{}}}]}})", i + 1); }));
  EXPECT_FALSE(allows(address("c"), 80));
  put_egress(R"([{}])");
  EXPECT_TRUE(allows(address("c"), 80));
}

}  // namespace
}  // namespace proa::policy
