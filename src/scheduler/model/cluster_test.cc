#include "scheduler/model/cluster.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

class ClusterTest : public testing::Test {
 protected:
  void put(const NodeBuilder& node) { cluster.put_node(node.object()); }
  PodPtr read(const PodBuilder& pod) { return reader.read(pod.object()); }
  PodPtr put(const PodBuilder& pod) {
    const PodPtr made = read(pod);
    cluster.put_pod(made);
    return made;
  }
  static api::Uid uid(std::string_view name) {
    return api::Uid(testkit::usual_uid("default", name));
  }
  const Node& node(std::string_view name) const {
    return cluster.at(*cluster.find(api::NodeNameView(name)));
  }
  size_t nodes_with(const std::string& image) const {
    const ClusterImage* found = cluster.image(image);
    return found == nullptr ? 0 : found->nodes;
  }
  // "added a, removed b, node": what the log says since the last call.
  std::string news() {
    std::string text;
    const auto changes = cluster.changes_since(seen_);
    for (const ClusterChange& change : *changes) {
      text += text.empty() ? "" : ", ";
      switch (change.kind) {
        case ClusterChange::Kind::kPodAdded:
          text += "added " + std::string(change.pod->name());
          break;
        case ClusterChange::Kind::kPodRemoved:
          text += "removed " + std::string(change.pod->name());
          break;
        case ClusterChange::Kind::kNode:
          text += "node " + std::to_string(change.node);
      }
    }
    seen_ = cluster.changes();
    return text;
  }

  Cluster cluster;
  PodReader reader;

 private:
  uint64_t seen_ = 0;
};

TEST_F(ClusterTest, HasNodesWithTheirPods) {
  put(make_node("n1").capacity({{"cpu", "4"}}));
  put(make_pod("a").node("n1").request({{"cpu", "1"}}));
  put(make_pod("b").node("n1").request({{"cpu", "500m"}}));
  EXPECT_EQ(cluster.node_count(), 1u);
  EXPECT_EQ(cluster.pod_count(), 2u);
  EXPECT_EQ(node("n1").pods().size(), 2u);
  EXPECT_EQ(node("n1").requested().milli_cpu, 1500);
  EXPECT_EQ(news(), "node 0, added a, added b");
  cluster.remove_pod(uid("a"));
  cluster.remove_pod(uid("a"));
  EXPECT_EQ(node("n1").requested().milli_cpu, 500);
  EXPECT_EQ(news(), "removed a");
}

TEST_F(ClusterTest, KnowsWhichChangesReachBeyondANode) {
  struct Case {
    const char* name;
    NodeBuilder after;
    bool layout;
    std::string news;
  };
  const NodeBuilder before =
      make_node("n1").zone("a").capacity({{"cpu", "4"}}).image("web:1", 1000);
  const std::vector<Case> cases = {
      {"the same", before, false, ""},
      {"a heartbeat", NodeBuilder(before).version(77), false, ""},
      {"an annotation", NodeBuilder(before).annotation("a", "b"), false, ""},
      {"more room", NodeBuilder(before).capacity({{"cpu", "8"}}), false, "node 0"},
      {"a label", NodeBuilder(before).label("disk", "fast"), true, "node 0"},
      {"another zone", NodeBuilder(before).zone("b"), true, "node 0"},
      {"a taint", NodeBuilder(before).taint("why", "", "NoSchedule"), true, "node 0"},
      {"closed", NodeBuilder(before).unschedulable(), true, "node 0"},
      {"an image", NodeBuilder(before).image("api:1", 5), true, "node 0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    put(before);
    news();
    const uint64_t layout = cluster.layout();
    put(c.after);
    EXPECT_EQ(cluster.layout() != layout, c.layout);
    EXPECT_EQ(news(), c.news);
  }
}

TEST_F(ClusterTest, CountsPodsOnNodesThatAreNotThereYet) {
  put(make_pod("a").node("n1").request({{"cpu", "1"}}));
  EXPECT_EQ(cluster.node_count(), 0u);
  EXPECT_FALSE(cluster.find(api::NodeNameView("n1")));
  EXPECT_EQ(cluster.slots(), 1u);
  EXPECT_EQ(cluster.node(0), nullptr);
  put(make_node("n1"));
  EXPECT_EQ(node("n1").requested().milli_cpu, 1000);
}

TEST_F(ClusterTest, KeepsPodsOfANodeThatGoesAndComesAgain) {
  put(make_node("n1").zone("a"));
  put(make_pod("a").node("n1"));
  cluster.remove_node(api::NodeNameView("n1"));
  EXPECT_FALSE(cluster.find(api::NodeNameView("n1")));
  EXPECT_EQ(cluster.node_count(), 0u);
  EXPECT_NE(cluster.pod(uid("a")), nullptr);
  put(make_node("n1").zone("b"));
  EXPECT_EQ(cluster.slots(), 1u);
  EXPECT_EQ(node("n1").pods().size(), 1u);
}

TEST_F(ClusterTest, GivesSlotsToOthersOnceNobodyIsThere) {
  put(make_node("n1"));
  put(make_pod("a").node("n1"));
  cluster.remove_node(api::NodeNameView("n1"));
  put(make_node("n2"));
  EXPECT_EQ(cluster.slots(), 2u) << "the pod is still there";
  cluster.remove_pod(uid("a"));
  put(make_node("n3"));
  EXPECT_EQ(cluster.slots(), 2u);
  EXPECT_EQ(node("n3").pods().size(), 0u);
  cluster.remove_node(api::NodeNameView("n2"));
  put(make_node("n4"));
  EXPECT_EQ(cluster.slots(), 2u);
  EXPECT_EQ(cluster.node_count(), 2u);
}

TEST_F(ClusterTest, AssumesAndForgets) {
  put(make_node("n1"));
  news();
  const PodPtr a = read(make_pod("a").request({{"cpu", "1"}}));
  cluster.assume(on_node(*a, api::NodeNameView("n1")));
  EXPECT_TRUE(cluster.is_assumed(a->uid()));
  EXPECT_EQ(node("n1").requested().milli_cpu, 1000);
  EXPECT_EQ(news(), "added a");
  cluster.forget(a->uid());
  EXPECT_EQ(node("n1").requested().milli_cpu, 0);
  EXPECT_EQ(cluster.pod(a->uid()), nullptr);
  EXPECT_EQ(news(), "removed a");
}

TEST_F(ClusterTest, TakesTheWordOfTheApiForWhatWasAssumed) {
  struct Case {
    const char* name;
    PodBuilder said;
    std::string node;
    std::string news;
  };
  const PodBuilder waiting = make_pod("a").request({{"cpu", "1"}});
  const std::vector<Case> cases = {
      {"as it was assumed", PodBuilder(waiting).node("n1"), "n1", ""},
      {"elsewhere", PodBuilder(waiting).node("n2"), "n2", "removed a, added a"},
      {"changed meanwhile", PodBuilder(waiting).node("n1").label("app", "web"), "n1",
       "removed a, added a"},
      {"about to go", PodBuilder(waiting).node("n1").deleted_at("2026-01-01T00:00:00Z"), "n1",
       "removed a, added a"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    put(make_node("n1"));
    put(make_node("n2"));
    cluster.assume(on_node(*read(waiting), api::NodeNameView("n1")));
    news();
    const PodPtr said = put(c.said);
    EXPECT_EQ(news(), c.news);
    EXPECT_FALSE(cluster.is_assumed(uid("a")));
    EXPECT_EQ(cluster.pod(uid("a")), said);
    EXPECT_EQ(node(c.node).pods(), std::vector<PodPtr>{said});
    cluster.forget(uid("a"));
    EXPECT_EQ(node(c.node).pods().size(), 1u) << "only what was assumed is forgotten";
    cluster.remove_pod(uid("a"));
  }
}

TEST_F(ClusterTest, KnowsLabelsImagesAndAffinity) {
  const Domains& zones = cluster.domains("topology.kubernetes.io/zone");
  put(make_node("n1").zone("a").image("web:1", 1000));
  put(make_node("n2").zone("a").images({"web:1", "web:latest"}, 1000));
  EXPECT_EQ(zones.of(0), zones.of(1));
  EXPECT_EQ(nodes_with("web:1"), 2u);
  EXPECT_EQ(nodes_with("web:latest"), 1u);
  put(make_node("n2").zone("b"));
  EXPECT_NE(zones.of(0), zones.of(1));
  EXPECT_EQ(nodes_with("web:1"), 1u);
  cluster.remove_node(api::NodeNameView("n1"));
  EXPECT_EQ(zones.of(0), kNoDomain);
  EXPECT_EQ(nodes_with("web:1"), 0u);

  put(make_pod("a").node("n2").pod_anti_affinity("zone", {{"app", "web"}}));
  put(make_pod("b").node("n2").prefer_pod_affinity(1, "zone", {{"app", "web"}}));
  EXPECT_EQ(cluster.pods_with_affinity(), 2u);
  EXPECT_EQ(cluster.pods_with_anti_affinity(), 1u);
  cluster.remove_pod(uid("a"));
  EXPECT_EQ(cluster.pods_with_affinity(), 1u);
  EXPECT_EQ(cluster.pods_with_anti_affinity(), 0u);
}

TEST_F(ClusterTest, ForgetsOldChanges) {
  put(make_node("n1"));
  const PodPtr a = read(make_pod("a").node("n1"));
  const uint64_t begin = cluster.changes();
  for (int i = 0; i < 8000; ++i) {
    cluster.put_pod(a);
    cluster.remove_pod(a->uid());
  }
  EXPECT_EQ(cluster.changes_since(begin)->size(), 16'000u);
  for (int i = 0; i < 20'000; ++i) {
    cluster.put_pod(a);
    cluster.remove_pod(a->uid());
  }
  EXPECT_FALSE(cluster.changes_since(begin));
  EXPECT_EQ(cluster.changes(), begin + 56'000);
  EXPECT_EQ(cluster.changes_since(cluster.changes() - 16'000)->size(), 16'000u);
  EXPECT_TRUE(cluster.changes_since(cluster.changes())->empty());
}

TEST_F(ClusterTest, TriesWithoutAWord) {
  put(make_node("n1"));
  const PodPtr a = put(make_pod("a").node("n1").request({{"cpu", "1"}}));
  news();
  cluster.try_remove(0, a->uid());
  EXPECT_EQ(node("n1").requested().milli_cpu, 0);
  cluster.try_add(0, a);
  EXPECT_EQ(node("n1").requested().milli_cpu, 1000);
  EXPECT_EQ(news(), "");
}

// Sums and counts are those of the pods that are there, whatever came before.
TEST_F(ClusterTest, AddsUpAfterManyChanges) {
  SeededRandom random(3);
  std::map<std::string, std::pair<std::string, int64_t>> expected;  // pod: node and cpu
  const auto some_node = [&] { return "n" + std::to_string(random.below(5)); };
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "p" + std::to_string(random.below(30));
    const std::string there = some_node();
    const auto cpu = static_cast<int64_t>(random.below(4) * 100);
    PodBuilder pod = make_pod(name).request({{"cpu", std::to_string(cpu) + "m"}});
    switch (random.below(6)) {
      case 0:
        put(make_node(there).zone(random.below(2) == 0 ? "a" : "b"));
        break;
      case 1:
        cluster.remove_node(api::NodeNameView(there));
        break;
      case 2:
        cluster.remove_pod(uid(name));
        expected.erase(name);
        break;
      case 3:
        if (expected.contains(name)) break;
        cluster.assume(on_node(*read(pod), api::NodeNameView(there)));
        expected[name] = {there, cpu};
        break;
      case 4:
        if (cluster.is_assumed(uid(name))) expected.erase(name);
        cluster.forget(uid(name));
        break;
      default:
        put(pod.node(there));
        expected[name] = {there, cpu};
    }
    ASSERT_EQ(cluster.pod_count(), expected.size());
    std::map<std::string, int64_t> sums;
    for (const auto& [pod_name, where] : expected) sums[where.first] += where.second;
    size_t nodes = 0;
    for (int n = 0; n < 5; ++n) {
      const std::string node_name = "n" + std::to_string(n);
      const auto index = cluster.find(api::NodeNameView(node_name));
      if (!index) continue;
      ++nodes;
      ASSERT_EQ(cluster.at(*index).requested().milli_cpu, sums[node_name]) << node_name;
    }
    ASSERT_EQ(cluster.node_count(), nodes);
    ASSERT_LE(cluster.slots(), 10u);
  }
}

}  // namespace
}  // namespace proa::scheduler
