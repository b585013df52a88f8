#include "scheduler/plugins/affinity/inter_pod_affinity.h"

#include "testkit/scheduler/plugins/test_affinity.h"

namespace proa::scheduler::affinity_test {
namespace inter_pod_affinity_test {

std::string refusal(std::string_view args) {
  AffinityWorld world;
  const json::Document document = json::parse(args).value();
  const auto made = make_inter_pod_affinity(world.context(), api::View(document.root()));
  if (made.ok()) return "";
  EXPECT_TRUE(made.is(Reason::kBadRequest));
  return made.status().message();
}

TEST(InterPodAffinity, ChecksItsArguments) {
  EXPECT_EQ(refusal("{}"), "");
  EXPECT_EQ(refusal(R"({"hardPodAffinityWeight":0})"), "");
  EXPECT_EQ(refusal(R"({"hardPodAffinityWeight":100})"), "");
  EXPECT_EQ(refusal(R"({"hardPodAffinityWeight":-1})"),
            "hardPodAffinityWeight: Invalid value: -1: not in valid range [0, 100]");
  EXPECT_EQ(refusal(R"({"hardPodAffinityWeight":101})"),
            "hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]");
  EXPECT_NE(refusal(R"({"hardPodAffinityWeight":"x"})"), "");
}

TEST(InterPodAffinity, WantsToHearOfPodsAndNodes) {
  AffinityWorld world;
  EXPECT_EQ(world.plugin().name(), "InterPodAffinity");
  uint32_t of_pods = 0;
  uint32_t of_nodes = 0;
  for (const EventInterest& interest : world.plugin().events()) {
    if (interest.resource == EventResource::kAssignedPod) of_pods |= interest.actions;
    if (interest.resource == EventResource::kNode) of_nodes |= interest.actions;
  }
  EXPECT_EQ(of_pods, action::kAdd | action::kDelete | action::kUpdatePodLabel);
  EXPECT_EQ(of_nodes, action::kAdd | action::kUpdateNodeLabel);
}

TEST(InterPodAffinity, IsSkippedWhereNobodyHasTerms) {
  AffinityWorld world;
  world.put(TestNode{"n1", {{"zone", "z1"}}});
  const PodPtr plain = world.read({.labels = {{"app", "web"}}});
  const PodPtr choosy = world.read({.terms = {far("zone", "app"), prefer_near(1, "zone", "app")}});
  world.put(TestPod{.labels = {{"app", "web"}}, .node = "n1"});
  EXPECT_EQ(world.filter(*plain), nullptr);
  EXPECT_EQ(world.scorer(*plain), nullptr);
  EXPECT_NE(world.filter(*choosy), nullptr);
  EXPECT_NE(world.scorer(*choosy), nullptr);

  // A pod that prefers matters for scores only, whatever it is that it prefers.
  world.put(TestPod{.node = "n1", .terms = {prefer_far(1, "zone", "nobody")}});
  EXPECT_EQ(world.filter(*plain), nullptr);
  EXPECT_NE(world.scorer(*plain), nullptr);

  world.put(TestPod{.node = "n1", .terms = {far("zone", "nobody")}});
  const auto filter = world.filter(*plain);
  ASSERT_NE(filter, nullptr);
  EXPECT_FALSE(filter->is_local());
  EXPECT_TRUE(filter->check(0, world.cluster.at(0)).ok());
}

TEST(InterPodAffinity, IsMadeAnewWhenNamespacesMatter) {
  AffinityWorld world;
  world.put_namespace("default", {{"team", "a"}});
  world.put(TestNode{"n1", {{"zone", "z1"}}});
  world.put(TestPod{.labels = {{"app", "web"}}, .node = "n1"});
  const PodPtr plain = world.read({.labels = {{"app", "web"}}, .terms = {far("zone", "x")}});
  const PodPtr any = world.read({.terms = {far("zone", "app").in_namespaces("")}});
  const PodPtr by_labels =
      world.read({.terms = {far("zone", "app").in_namespaces("team=b"),
                            prefer_near(1, "zone", "app").in_namespaces("team=b")}});
  const auto plain_filter = world.filter(*plain);
  const auto any_filter = world.filter(*any);
  const auto filter = world.filter(*by_labels);
  const auto scorer = world.scorer(*by_labels);
  EXPECT_TRUE(filter->check(0, world.cluster.at(0)).ok());
  EXPECT_TRUE(filter->is_current(*by_labels));
  EXPECT_TRUE(scorer->is_current(*by_labels));

  world.put_namespace("default", {{"team", "a"}});  // a heartbeat
  EXPECT_TRUE(filter->is_current(*by_labels));

  world.put_namespace("default", {{"team", "b"}});
  EXPECT_FALSE(filter->is_current(*by_labels));
  EXPECT_FALSE(scorer->is_current(*by_labels));
  EXPECT_TRUE(plain_filter->is_current(*plain));
  EXPECT_TRUE(any_filter->is_current(*any));
  EXPECT_FALSE(world.filter(*by_labels)->check(0, world.cluster.at(0)).ok());

  // Now somebody comes who looks at labels of namespaces: from here on they matter.
  const PodPtr late =
      world.put(TestPod{.node = "n1", .terms = {far("zone", "app").in_namespaces("team=c")}});
  plain_filter->pod_added(*late, 0);
  EXPECT_TRUE(plain_filter->is_current(*plain));
  EXPECT_TRUE(plain_filter->check(0, world.cluster.at(0)).ok());
  world.put_namespace("default", {{"team", "c"}});
  EXPECT_FALSE(plain_filter->is_current(*plain));
  const auto again = world.filter(*plain);
  EXPECT_FALSE(again->check(0, world.cluster.at(0)).ok());
  world.remove_namespace("default");
  EXPECT_FALSE(again->is_current(*plain));
}

}  // namespace inter_pod_affinity_test
}  // namespace proa::scheduler::affinity_test
