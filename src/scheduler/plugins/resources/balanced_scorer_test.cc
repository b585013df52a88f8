#include "scheduler/plugins/resources/balanced_scorer.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_resources.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

constexpr std::string_view kWithGpu =
    R"({"resources":[{"name":"cpu"},{"name":"memory"},{"name":"nvidia.com/gpu"}]})";

PodBuilder asks(const char* cpu, const char* memory) {
  return make_pod("p").request({{"cpu", cpu}, {"memory", memory}});
}
PodBuilder asks_gpu(const char* cpu, const char* memory, const char* gpu) {
  return make_pod("p").request({{"cpu", cpu}, {"memory", memory}, {"nvidia.com/gpu", gpu}});
}
NodeBuilder has(const char* cpu, const char* memory) {
  return make_node("n").capacity({{"cpu", cpu}, {"memory", memory}});
}
NodeBuilder has_gpu(const char* cpu, const char* memory, const char* gpu) {
  return make_node("n").capacity({{"cpu", cpu}, {"memory", memory}, {"nvidia.com/gpu", gpu}});
}

std::unique_ptr<NodeScorer> scorer_for(const PodBuilder& pod, std::string_view args = {}) {
  const json::Document document = parse_args(args);
  const auto resources = read_balanced_args(document.root());
  CHECK(resources.ok());
  return make_balanced_scorer(*resources, requests_of(pod).exact);
}

TEST(BalancedScorer, SaysNothingOfPodsThatAskForNothing) {
  EXPECT_EQ(scorer_for(make_pod("p")), nullptr);
  EXPECT_EQ(scorer_for(asks("0", "0")), nullptr);
  EXPECT_EQ(scorer_for(asks_gpu("0", "0", "1")), nullptr);  // not one of its resources
  EXPECT_NE(scorer_for(asks("1m", "0")), nullptr);
}

TEST(BalancedScorer, PrefersNodesThatThePodMakesEvener) {
  struct Case {
    const char* name;
    PodBuilder pod;
    NodeBuilder node;
    std::vector<PodBuilder> running;
    int64_t score;
    std::string_view args = {};
  };
  const Case cases[] = {
      {"0,0 -> 75,50%", asks("3", "5000"), has("4", "10000"), {}, 68},
      {"0,0 -> 50,50%", asks("3", "5000"), has("6", "10000"), {}, 75},
      {"30,0 -> 60,25%", asks("3", "5000"), has("10", "20000"), {asks("3", "0")}, 73},
      {"30,25 -> 60,50%", asks("3", "5000"), has("10", "20000"), {asks("3", "5000")}, 74},
      {"30,10 -> 60,20%", asks("3", "5000"), has("10", "50000"), {asks("3", "5000")}, 70},
      {"best: 100,0 -> 100,100%", asks("0", "5000"), has("3", "5000"), {asks("3", "0")}, 100},
      {"worst: 0,0 -> 0,100%", asks("0", "5000"), has("3", "5000"), {}, 50},
      {"50,0 -> 100,0%", asks("3", "0"), has("6", "10000"), {asks("3", "0")}, 62},
      {"50,50 -> 100,50%", asks("3", "0"), has("6", "10000"), {asks("3", "5000")}, 62},
      {"more than all counts as all", asks("9", "10000"), has("6", "10000"), {}, 75},
      {"pods without requests count as nothing",
       asks("3", "5000"),
       has("4", "10000"),
       {make_pod("q")},
       68},
      {"a node without memory is even", asks("3", "5000"), has("4", "0"), {}, 75},
      {"a device that is asked for",
       asks_gpu("0", "0", "1"),
       has_gpu("3500m", "40000", "8"),
       {asks("1", "2000"), asks_gpu("2", "3000", "3")},
       75,
       kWithGpu},
      {"a device that nobody uses yet",
       asks_gpu("0", "0", "1"),
       has_gpu("3500m", "40000", "8"),
       {asks("3", "5000")},
       76,
       kWithGpu},
      {"a device that is not asked for",
       asks("3", "5000"),
       has_gpu("3500m", "40000", "8"),
       {},
       56,
       kWithGpu},
      {"a device that the node has not got",
       asks_gpu("3", "5000", "1"),
       has("3500m", "40000"),
       {},
       56,
       kWithGpu},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto scorer = scorer_for(c.pod, c.args);
    ASSERT_NE(scorer, nullptr);
    EXPECT_TRUE(scorer->is_local());
    EXPECT_FALSE(scorer->normalizes());
    EXPECT_EQ(scorer->score(0, node_of(c.node, c.running)), c.score);
  }
}

TEST(BalancedScorer, CountsWhatThePodSaysAsAWhole) {
  const auto scorer = scorer_for(make_pod("p").pod_request({{"cpu", "3"}, {"memory", "5000"}}));
  ASSERT_NE(scorer, nullptr);
  EXPECT_EQ(scorer->score(0, node_of(has("4", "10000"))), 68);
}

}  // namespace
}  // namespace proa::scheduler
