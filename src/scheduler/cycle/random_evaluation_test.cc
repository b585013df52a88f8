// Compares incrementally updated with fresh evaluations, in random clusters with the default
// plugins, while pods come and go and nodes change.
#include <gtest/gtest.h>

#include "scheduler/cycle/evaluations.h"
#include "scheduler/cycle/fit_report.h"
#include "testkit/scheduler/cluster_client.h"
#include "testkit/scheduler/default_bench.h"
#include "testkit/scheduler/generator.h"

namespace proa::scheduler {
namespace {

using testkit::DefaultBench;
using testkit::TestCluster;

class RandomChanges {
 public:
  RandomChanges(DefaultBench& bench, const TestCluster& world, Random& random)
      : bench_(bench), world_(world), random_(random) {
    for (const api::ObjectPtr& node : world.nodes) bench.cluster.put_node(node);
    for (const api::ObjectPtr& object : world.pods) {
      const PodPtr pod = bench.reader.read(object);
      if (!pod->finished && !pod->node.empty()) pods_.push_back(pod);
    }
    for (const PodPtr& pod : pods_) {
      if (random.below(2) == 0) bench.cluster.put_pod(pod);
    }
  }

  void one() {
    switch (random_.below(12)) {
      case 0:
        return change_node();
      case 1:
        return bench_.cluster.remove_node(api::NodeNameView(any(world_.nodes)->metadata().name));
      case 2:
        return nominate();
      default:
        if (!pods_.empty()) turn_over(any(pods_));
    }
  }

 private:
  template <typename T>
  const T& any(const std::vector<T>& list) {
    return list[random_.below(list.size())];
  }
  void turn_over(const PodPtr& pod) {
    Cluster& cluster = bench_.cluster;
    if (cluster.pod(pod->uid()) == nullptr) return cluster.put_pod(pod);
    cluster.remove_pod(pod->uid());
    if (random_.below(3) == 0)
      cluster.assume(on_node(*pod, api::NodeNameView(any(world_.nodes)->metadata().name)));
  }
  // It comes (back), or gets what another node has.
  void change_node() {
    const api::ObjectPtr& node = any(world_.nodes);
    if (random_.below(2) == 0) return bench_.cluster.put_node(node);
    std::string json(any(world_.nodes)->json());
    const std::string other(api::Object::make(json)->metadata().name);
    const std::string from = R"("name":")" + other + R"(")";
    const size_t at = json.find(from);
    ASSERT_NE(at, std::string::npos);
    json.replace(at, from.size(), R"("name":")" + std::string(node->metadata().name) + R"(")");
    bench_.cluster.put_node(api::Object::make(json));
  }
  void nominate() {
    if (world_.pending.empty()) return;
    const PodPtr pod = bench_.reader.read(any(world_.pending));
    bench_.nominations.set(
        pod, api::NodeNameView(random_.below(2) == 0 ? std::string_view()
                                                     : any(world_.nodes)->metadata().name));
  }

  DefaultBench& bench_;
  const TestCluster& world_;
  Random& random_;
  std::vector<PodPtr> pods_;
};

void expect_same(DefaultBench& bench, Evaluation& kept, Evaluation& fresh, uint64_t seed) {
  ASSERT_EQ(kept.feasible(), fresh.feasible());
  ASSERT_EQ(kept.pre_filter().plugin, fresh.pre_filter().plugin);
  for (NodeIndex node = 0; node < bench.cluster.slots(); ++node) {
    if (bench.cluster.node(node) == nullptr) continue;
    ASSERT_EQ(kept.of(node).plugin, fresh.of(node).plugin);
    ASSERT_EQ(kept.of(node).verdict.code, fresh.of(node).verdict.code);
    ASSERT_EQ(kept.check(node), fresh.check(node));
  }
  const std::vector<PluginScores> scores = fresh.scores();
  const std::vector<PluginScores> of_kept = kept.scores();
  ASSERT_EQ(scores.size(), of_kept.size());
  for (size_t i = 0; i < scores.size(); ++i) ASSERT_EQ(scores[i].weighted, of_kept[i].weighted);
  SeededRandom one(seed);
  SeededRandom other(seed);
  const std::optional<NodeIndex> chosen = kept.choose(one);
  ASSERT_EQ(chosen, fresh.choose(other));
  if (!chosen) {
    ASSERT_EQ(fit_message(bench.cluster, kept, ""), fit_message(bench.cluster, fresh, ""));
  }
}

TEST(RandomEvaluation, IsTheSameWhetherKeptOrNew) {
  testkit::GeneratorOptions options{.max_nodes = 10, .max_pods = 40, .max_pending = 4};
  size_t feasible = 0;
  size_t questions = 0;
  for (uint64_t seed = 1; seed <= 60 && !testing::Test::HasFatalFailure(); ++seed) {
    SeededRandom random(seed);
    const TestCluster world = testkit::generate_cluster(random, options);
    if (world.nodes.empty() || world.pending.empty()) continue;
    testkit::ClusterClient client(world);
    DefaultBench bench(client);
    RandomChanges changes(bench, world, random);
    Evaluations evaluations(bench.cluster, bench.nominations);
    for (int turn = 0; turn < 40 && !testing::Test::HasFatalFailure(); ++turn) {
      for (uint64_t i = random.below(4); i > 0; --i) changes.one();
      const PodPtr pod = bench.reader.read(world.pending[random.below(world.pending.size())]);
      SCOPED_TRACE("seed " + std::to_string(seed) + " turn " + std::to_string(turn) + " pod " +
                   std::string(pod->name()));
      Evaluation fresh = bench.evaluate(*pod);
      fresh.refresh(*pod);
      Evaluation& kept = evaluations.of(bench.profile(), *pod);
      expect_same(bench, kept, fresh, seed);
      feasible += kept.feasible().empty() ? 0 : 1;
      ++questions;
    }
  }
  EXPECT_GT(feasible, questions / 10);
  EXPECT_GT(questions, 1000u);
}

}  // namespace
}  // namespace proa::scheduler
