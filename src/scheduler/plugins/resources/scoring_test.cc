#include "scheduler/plugins/resources/scoring.h"

#include <gtest/gtest.h>

#include "testkit/scheduler/plugins/test_resources.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;
using testkit::Pairs;
using testkit::PodBuilder;

TEST(Scoring, RoundsDown) {
  EXPECT_EQ(least_allocated(0, 3), 100);
  EXPECT_EQ(least_allocated(1, 3), 66);
  EXPECT_EQ(least_allocated(3, 3), 0);
  EXPECT_EQ(least_allocated(4, 3), 0);
  EXPECT_EQ(most_allocated(0, 3), 0);
  EXPECT_EQ(most_allocated(2, 3), 66);
  EXPECT_EQ(most_allocated(3, 3), 100);
  EXPECT_EQ(most_allocated(4, 3), 100);
}

TEST(Scoring, FollowsALine) {
  struct Case {
    std::vector<ShapePoint> line;
    std::vector<std::pair<int64_t, int64_t>> scores;
  };
  const Case cases[] = {
      {{{10, 1}, {90, 9}},
       {{-10, 1}, {0, 1}, {9, 1}, {10, 1}, {15, 1}, {19, 1}, {20, 2}, {89, 8}, {90, 9}, {110, 9}}},
      {{{0, 2}, {40, 10}, {100, 0}},
       {{-10, 2}, {0, 2}, {20, 6}, {30, 8}, {40, 10}, {70, 5}, {100, 0}, {110, 0}}},
      {{{0, 2}, {40, 2}, {100, 2}}, {{-10, 2}, {20, 2}, {40, 2}, {110, 2}}},
      {{{50, 7}}, {{0, 7}, {50, 7}, {100, 7}}},
  };
  for (const Case& c : cases) {
    for (const auto& [utilization, score] : c.scores) {
      SCOPED_TRACE(utilization);
      EXPECT_EQ(score_on_line(c.line, utilization), score);
    }
  }
}

TEST(Scoring, SeesHowEvenUseIs) {
  struct Case {
    const char* name;
    std::vector<double> fractions;
    int64_t evenness;
  };
  const Case cases[] = {
      {"nothing", {}, 100},
      {"one is always even", {0.3}, 100},
      {"two equal", {0.5, 0.5}, 100},
      {"two as different as can be", {1, 0}, 50},
      {"two, in any order", {0.25, 0.75}, 75},
      {"rounded down", {0.6, 0.25}, 82},
      {"three", {3000.0 / 3500, 0.125, 0.5}, 70},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(evenness(c.fractions), c.evenness);
  }
}

TEST(Scoring, LeavesOutDevicesThatNobodyAsksFor) {
  const std::vector<ResourceWeight> resources = {
      {.name = "a.com/x", .weight = 5}, {.name = "cpu"}, {.name = "a.com/y", .weight = 7}};
  Resources request;
  request.others = {{"a.com/y", 2}};
  const auto scored = scored_resources(resources, request, true);
  ASSERT_EQ(scored.size(), 2u);
  EXPECT_EQ(scored[0].kind, ScoredResource::Kind::kScoredCpu);
  EXPECT_EQ(scored[0].request, 0);
  EXPECT_EQ(scored[1].name, "a.com/y");
  EXPECT_EQ(scored[1].weight, 7);
  EXPECT_EQ(scored[1].request, 2);
}

// --- The scorers of NodeResourcesFit ---

PodBuilder asks(const Pairs& amounts) { return make_pod("p").request(amounts); }

struct ScoreCase {
  const char* name;
  PodBuilder pod;
  Pairs node;
  std::vector<PodBuilder> running;
  int64_t score;
  std::string_view args = {};
};

void expect_scores(std::span<const ScoreCase> cases, std::string_view args) {
  for (const ScoreCase& c : cases) {
    SCOPED_TRACE(c.name);
    const auto scorer = make_fit_scorer(fit_args(c.args.empty() ? args : c.args),
                                        requests_of(c.pod).scored_newcomer);
    EXPECT_TRUE(scorer->is_local());
    EXPECT_FALSE(scorer->normalizes());
    EXPECT_EQ(scorer->score(0, node_of(make_node("n").capacity(c.node), c.running)), c.score);
  }
}

PodBuilder cpu_memory(const char* cpu, const char* memory) {
  return asks({{"cpu", cpu}, {"memory", memory}});
}

TEST(FitScorer, PrefersTheLeastAllocated) {
  constexpr std::string_view kWeights = R"({"scoringStrategy":{"type":"LeastAllocated",
      "resources":[{"name":"memory","weight":2},{"name":"cpu","weight":1}]}})";
  constexpr std::string_view kDevice = R"({"scoringStrategy":{"type":"LeastAllocated",
      "resources":[{"name":"cpu"},{"name":"memory"},{"name":"abc.com/xyz"}]}})";
  const ScoreCase cases[] = {
      {"nothing", cpu_memory("0", "0"), {{"cpu", "4"}, {"memory", "10000"}}, {}, 100},
      {"a quarter and a half left",
       cpu_memory("3", "5000"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {},
       37},
      {"two halves left", cpu_memory("3", "5000"), {{"cpu", "6"}, {"memory", "10000"}}, {}, 50},
      {"with what is running",
       cpu_memory("3", "5000"),
       {{"cpu", "10"}, {"memory", "20000"}},
       {cpu_memory("3", "5000")},
       45},
      {"more than there is",
       cpu_memory("3", "0"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {cpu_memory("3", "5000")},
       25},
      {"a node without anything", cpu_memory("3", "5000"), {}, {}, 0},
      {"defaults of the pod and of one that runs",
       make_pod("p"),
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       {make_pod("q")},
       70},
      {"what is said of a running pod as a whole",
       make_pod("p"),
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       {make_pod("q").pod_request({{"cpu", "500m"}, {"memory", "100Mi"}})},
       55},
      {"but not of the pod itself",
       make_pod("p").pod_request({{"cpu", "1"}, {"memory", "1"}}),
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       {},
       85},
      {"by weight", cpu_memory("3", "5000"), {{"cpu", "4"}, {"memory", "10000"}}, {}, 41, kWeights},
      {"a device that is not asked for",
       cpu_memory("3", "5000"),
       {{"cpu", "6"}, {"memory", "10000"}, {"abc.com/xyz", "4"}},
       {},
       50,
       kDevice},
      {"a device that is asked for",
       asks({{"cpu", "3"}, {"memory", "5000"}, {"abc.com/xyz", "2"}}),
       {{"cpu", "6"}, {"memory", "10000"}, {"abc.com/xyz", "10"}},
       {},
       60,
       kDevice},
      {"ephemeral storage",
       asks({{"ephemeral-storage", "1"}}),
       {{"ephemeral-storage", "4"}},
       {asks({{"ephemeral-storage", "1"}})},
       50,
       R"({"scoringStrategy":{"type":"LeastAllocated","resources":[{"name":"ephemeral-storage"}]}})"},
  };
  expect_scores(cases, {});
}

TEST(FitScorer, PrefersTheMostAllocated) {
  const ScoreCase cases[] = {
      {"nothing", cpu_memory("0", "0"), {{"cpu", "4"}, {"memory", "10000"}}, {}, 0},
      {"three quarters and a half",
       cpu_memory("3", "5000"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {},
       62},
      {"with what is running",
       cpu_memory("3", "5000"),
       {{"cpu", "10"}, {"memory", "20000"}},
       {cpu_memory("3", "5000")},
       55},
      {"all of the cpu", cpu_memory("5", "9000"), {{"cpu", "5"}, {"memory", "10000"}}, {}, 95},
      {"defaults may be more than all of it",
       make_pod("p").container(),
       {{"cpu", "150m"}, {"memory", "1000Mi"}},
       {},
       70},
      {"by weight",
       cpu_memory("3", "5000"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {},
       58,
       R"({"scoringStrategy":{"type":"MostAllocated",
           "resources":[{"name":"memory","weight":2},{"name":"cpu","weight":1}]}})"},
  };
  expect_scores(cases, R"({"scoringStrategy":{"type":"MostAllocated"}})");
}

TEST(FitScorer, FollowsAShape) {
  constexpr std::string_view kDevices = R"({"scoringStrategy":{"type":"RequestedToCapacityRatio",
      "resources":[{"name":"intel.com/foo","weight":3},{"name":"intel.com/bar","weight":5}],
      "requestedToCapacityRatio":
          {"shape":[{"utilization":0,"score":0},{"utilization":100,"score":1}]}}})";
  const PodBuilder two = asks({{"intel.com/foo", "2"}, {"intel.com/bar", "2"}});
  const ScoreCase cases[] = {
      {"nothing", cpu_memory("0", "0"), {{"cpu", "4"}, {"memory", "10000"}}, {}, 100},
      {"rounded, not cut off",
       cpu_memory("3", "5000"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {},
       38},
      {"two halves", cpu_memory("3", "5000"), {{"cpu", "6"}, {"memory", "10000"}}, {}, 50},
      {"what scores nothing does not count",
       cpu_memory("4", "5000"),
       {{"cpu", "4"}, {"memory", "10000"}},
       {},
       50},
      {"devices that are not asked for", make_pod("p"), {{"intel.com/foo", "8"}}, {}, 0, kDevices},
      {"devices by weight", two, {{"intel.com/foo", "8"}, {"intel.com/bar", "4"}}, {}, 4, kDevices},
      {"devices by weight, with what runs",
       two,
       {{"intel.com/foo", "4"}, {"intel.com/bar", "8"}},
       {asks({{"intel.com/foo", "2"}, {"intel.com/bar", "2"}})},
       7,
       kDevices},
  };
  expect_scores(cases, R"({"scoringStrategy":{"type":"RequestedToCapacityRatio",
      "requestedToCapacityRatio":
          {"shape":[{"utilization":0,"score":10},{"utilization":100,"score":0}]}}})");
}

}  // namespace
}  // namespace proa::scheduler
