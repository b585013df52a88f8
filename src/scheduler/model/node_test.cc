#include "scheduler/model/node.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

constexpr int64_t kMebi = int64_t{1} << 20;

Node node_of(const NodeBuilder& node) {
  return Node(std::make_shared<const NodeFacts>(read_node(node.object())));
}

TEST(ReadNode, TakesWhatDecides) {
  const NodeFacts facts = read_node(make_node("n1")
                                        .zone("a")
                                        .capacity({{"cpu", "8"}, {"memory", "1Gi"}})
                                        .allocatable({{"cpu", "7500m"},
                                                      {"memory", "1000"},
                                                      {"ephemeral-storage", "5"},
                                                      {"pods", "110"},
                                                      {"example.com/gpu", "2"},
                                                      {"something", "3"}})
                                        .taint("k", "v", "NoSchedule")
                                        .unschedulable()
                                        .images({"z:1", "a:1"}, 10)
                                        .image("m:1", 20)
                                        .object());
  EXPECT_EQ(facts.name(), "n1");
  EXPECT_EQ(facts.allocatable, (Resources{.milli_cpu = 7500,
                                          .memory = 1000,
                                          .ephemeral_storage = 5,
                                          .others = {{"example.com/gpu", 2}}}));
  EXPECT_EQ(facts.allowed_pods, 110);
  EXPECT_TRUE(facts.unschedulable);
  EXPECT_EQ(facts.taints,
            (std::vector<kinds::pods::Taint>{{.key = "k", .value = "v", .effect = "NoSchedule"}}));
  EXPECT_EQ(facts.images,
            (std::vector<std::pair<std::string, int64_t>>{{"a:1", 10}, {"m:1", 20}, {"z:1", 10}}));
  EXPECT_EQ(*facts.metadata().label("topology.kubernetes.io/zone"), "a");
}

TEST(ReadNode, TakesNothingOfAnEmptyNode) {
  const NodeFacts facts = read_node(make_node("n1").object());
  EXPECT_EQ(facts.allocatable, Resources());
  EXPECT_EQ(facts.allowed_pods, 0);
  EXPECT_FALSE(facts.unschedulable);
}

TEST(SameForPods, SeesWhatDecides) {
  const NodeBuilder plain = make_node("n").zone("a").capacity({{"cpu", "1"}, {"pods", "9"}});
  const auto with = [&] { return NodeBuilder(plain); };
  struct Case {
    const char* name;
    NodeBuilder other;
    bool same;
  };
  const Case cases[] = {
      {"nothing", with(), true},
      {"a version", with().version(77), true},
      {"an annotation", with().annotation("a", "b"), true},
      {"a condition", with().json("status.conditions", R"([{"type":"Ready","status":"False"}])"),
       true},
      {"an address",
       with().json("status.addresses", R"([{"type":"InternalIP","address":"1.2.3.4"}])"), true},
      {"a label", with().label("x", "y"), false},
      {"the value of a label", with().zone("b"), false},
      {"an amount", with().allocatable({{"cpu", "2"}}), false},
      {"a device", with().capacity({{"a.com/x", "1"}}), false},
      {"the number of pods", with().allocatable({{"pods", "8"}}), false},
      {"a taint", with().taint("k", "v", "NoSchedule"), false},
      {"the mark", with().unschedulable(), false},
      {"an image", with().image("a:1", 10), false},
  };
  const NodeFacts before = read_node(plain.object());
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(same_for_pods(before, read_node(c.other.object())), c.same);
  }
}

// All that a node says of its pods, as text.
std::string sums(const Node& node) {
  const Resources& requested = node.requested();
  std::string text = "cpu=" + std::to_string(requested.milli_cpu) +
                     " memory=" + std::to_string(requested.memory) +
                     " storage=" + std::to_string(requested.ephemeral_storage);
  for (const auto& [name, amount] : requested.others)
    text.append(" ").append(name).append("=").append(std::to_string(amount));
  text.append(" scored=" + std::to_string(node.scored_milli_cpu()) + "/" +
              std::to_string(node.scored_memory()));
  for (const HostPort& port : node.used_ports()) {
    text.append(" ").append(port.ip).append(":").append(std::to_string(port.port)).append("/");
    text.append(port.protocol);
  }
  for (const char* claim : {"default/data", "other/data"})
    text.append(" ").append(claim).append("=").append(std::to_string(node.users_of_claim(claim)));
  text.append(" affinity=" + std::to_string(node.pods_with_affinity()) + "/" +
              std::to_string(node.pods_with_anti_affinity()));
  return text;
}

constexpr const char* kNothing =
    "cpu=0 memory=0 storage=0 scored=0/0 default/data=0 other/data=0 affinity=0/0";

TEST(Node, AddsUpItsPods) {
  struct Case {
    const char* name;
    PodBuilder pod;
    const char* sums;
  };
  const Case cases[] = {
      {"requests",
       make_pod("a").request(
           {{"cpu", "1"}, {"memory", "2"}, {"ephemeral-storage", "3"}, {"a.com/x", "4"}}),
       "cpu=1000 memory=2 storage=3 a.com/x=4 scored=1000/2 default/data=0 other/data=0 "
       "affinity=0/0"},
      {"defaults", make_pod("a"),
       "cpu=0 memory=0 storage=0 scored=100/209715200 default/data=0 other/data=0 affinity=0/0"},
      {"ports",
       make_pod("a")
           .request({{"cpu", "0"}, {"memory", "0"}})
           .host_port(80)
           .host_port(80, "UDP", "10.0.0.1"),
       "cpu=0 memory=0 storage=0 scored=0/0 0.0.0.0:80/TCP 10.0.0.1:80/UDP default/data=0 "
       "other/data=0 affinity=0/0"},
      {"claims", make_pod("a").request({{"cpu", "0"}, {"memory", "0"}}).claim("data"),
       "cpu=0 memory=0 storage=0 scored=0/0 default/data=1 other/data=0 affinity=0/0"},
      {"claims of its namespace",
       make_pod("a").in("other").request({{"cpu", "0"}, {"memory", "0"}}).claim("data"),
       "cpu=0 memory=0 storage=0 scored=0/0 default/data=0 other/data=1 affinity=0/0"},
      {"affinity",
       make_pod("a").request({{"cpu", "0"}, {"memory", "0"}}).pod_affinity("zone", {{"a", "b"}}),
       "cpu=0 memory=0 storage=0 scored=0/0 default/data=0 other/data=0 affinity=1/0"},
      {"anti-affinity",
       make_pod("a").request({{"cpu", "0"}, {"memory", "0"}}).pod_anti_affinity("zone", {}),
       "cpu=0 memory=0 storage=0 scored=0/0 default/data=0 other/data=0 affinity=1/1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    PodReader reader;
    Node node = node_of(make_node("n"));
    EXPECT_EQ(sums(node), kNothing);
    const PodPtr pod = reader.read(c.pod.object());
    node.add(pod);
    EXPECT_EQ(sums(node), c.sums);
    EXPECT_EQ(node.pods().size(), 1u);
    EXPECT_EQ(node.remove(pod->uid()), pod);
    EXPECT_EQ(sums(node), kNothing);
    EXPECT_TRUE(node.pods().empty());
  }
}

TEST(Node, IsAsBeforeWhenPodsAreGone) {
  PodReader reader;
  Node node = node_of(make_node("n"));
  std::vector<PodPtr> pods;
  std::vector<std::string> states;
  for (int i = 0; i < 6; ++i) {
    const std::string name = "p" + std::to_string(i);
    PodBuilder pod = make_pod(name).request({{"cpu", std::to_string(i)}, {"a.com/x", "1"}});
    pod.host_port(8000 + i / 2).claim("data");
    if (i % 2 == 0) pod.pod_anti_affinity("zone", {{"a", "b"}});
    states.push_back(sums(node));
    pods.push_back(reader.read(pod.object()));
    node.add(pods.back());
  }
  EXPECT_EQ(node.users_of_claim("default/data"), 6u);
  EXPECT_EQ(node.requested().milli_cpu, 15000);
  // A copy goes its own way.
  Node copy = node;
  while (!pods.empty()) {
    EXPECT_EQ(node.remove(pods.back()->uid()), pods.back());
    EXPECT_EQ(sums(node), states.back());
    pods.pop_back();
    states.pop_back();
  }
  EXPECT_EQ(copy.pods().size(), 6u);
  EXPECT_EQ(copy.requested().milli_cpu, 15000);
}

TEST(Node, RemovesTheRightOne) {
  PodReader reader;
  Node node = node_of(make_node("n"));
  for (const char* name : {"a", "b", "c"})
    node.add(reader.read(make_pod(name).request({{"memory", "1"}}).object()));
  EXPECT_EQ(node.remove(api::UidView("nobody")), nullptr);
  EXPECT_EQ(node.remove(reader.read(make_pod("b").object())->uid())->name(), "b");
  std::vector<std::string_view> names;
  for (const PodPtr& pod : node.pods()) names.push_back(pod->name());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string_view>{"a", "c"}));
  EXPECT_EQ(node.requested().memory, 2);
}

TEST(Node, TakesAnotherStateOfAPod) {
  PodReader reader;
  Node node = node_of(make_node("n"));
  const PodBuilder pod = make_pod("a").request({{"memory", "1"}});
  node.add(reader.read(pod.object()));
  const PodPtr later = reader.read(PodBuilder(pod).version(9).object());
  node.exchange(later);
  EXPECT_EQ(node.pods(), std::vector<PodPtr>{later});
  EXPECT_EQ(node.requested().memory, 1);
  EXPECT_EQ(node.scored_memory(), 1);
}

TEST(Node, KeepsItsPodsWhenItsFactsChange) {
  PodReader reader;
  Node node = node_of(make_node("n").capacity({{"memory", "1Mi"}}));
  node.add(reader.read(make_pod("a").request({{"memory", "1"}}).object()));
  node.set_facts(std::make_shared<const NodeFacts>(
      read_node(make_node("n").capacity({{"memory", "2Mi"}}).object())));
  EXPECT_EQ(node.facts().allocatable.memory, 2 * kMebi);
  EXPECT_EQ(node.requested().memory, 1);
}

TEST(Node, FindsItsPodsHoweverManyItHas) {
  Node node = node_of(make_node("n"));
  PodReader reader;
  std::vector<PodPtr> pods;
  for (int i = 0; i < 600; ++i) {
    pods.push_back(reader.read(make_pod("p" + std::to_string(i)).node("n").object()));
    node.add(pods.back());
  }
  // Every third goes, another state of every third comes in the place of the one before.
  for (size_t i = 0; i < pods.size(); ++i) {
    if (i % 3 == 0) {
      EXPECT_EQ(node.remove(pods[i]->uid()), pods[i]);
    } else if (i % 3 == 1) {
      pods[i] = reader.read(make_pod("p" + std::to_string(i)).node("n").object());
      node.exchange(pods[i]);
    }
  }
  EXPECT_EQ(node.remove(pods[0]->uid()), nullptr);
  EXPECT_EQ(node.pods().size(), 400u);
  for (size_t i = 0; i < pods.size(); ++i) {
    if (i % 3 == 0 || i == 1) continue;
    EXPECT_EQ(node.remove(pods[i]->uid()), pods[i]);
  }
  // One of the few that are left is found as well as one that comes now.
  node.add(pods[0]);
  EXPECT_EQ(node.remove(pods[0]->uid()), pods[0]);
  EXPECT_EQ(node.remove(pods[1]->uid()), pods[1]);
  EXPECT_TRUE(node.pods().empty());
}

}  // namespace
}  // namespace proa::scheduler
