#include "scheduler/cycle/scoring.h"

#include <gtest/gtest.h>

#include <map>

#include "scheduler/framework/normalize.h"
#include "testkit/scheduler/builders.h"

namespace proa::scheduler {
namespace {

using testkit::make_node;
using testkit::make_pod;

// Scores nodes by what the test says of them.
struct Wanted {
  bool local = true;
  bool normalizes = false;
  bool holds = true;
  std::map<NodeIndex, int64_t> scores = {};
  int asked = 0;
  std::vector<NodeIndex> begun = {};
  std::string told = {};  // pods that came and went
};

class TestScorer final : public NodeScorer {
 public:
  explicit TestScorer(Wanted& wanted) : wanted_(wanted) {}
  bool is_local() const override { return wanted_.local; }
  bool is_current(const Pod&) const override { return wanted_.holds; }
  void pod_added(const Pod& pod, NodeIndex) override {
    wanted_.told += "+" + std::string(pod.name());
  }
  void pod_removed(const Pod& pod, NodeIndex) override {
    wanted_.told += "-" + std::string(pod.name());
  }
  void begin(std::span<const NodeIndex> feasible) override {
    wanted_.begun.assign(feasible.begin(), feasible.end());
  }
  int64_t score(NodeIndex index, const Node&) override {
    ++wanted_.asked;
    return wanted_.scores[index];
  }
  bool normalizes() const override { return wanted_.normalizes; }
  void normalize(std::span<const NodeIndex>, std::span<int64_t> scores) override {
    normalize_to_max(scores, false);
  }

 private:
  Wanted& wanted_;
};

class TestScore final : public ScorePlugin {
 public:
  TestScore(std::string name, Wanted* wanted) : name_(std::move(name)), wanted_(wanted) {}
  std::string_view name() const override { return name_; }
  std::unique_ptr<NodeScorer> pre_score(const Pod&) override {
    return wanted_ == nullptr ? nullptr : std::make_unique<TestScorer>(*wanted_);
  }

 private:
  const std::string name_;
  Wanted* wanted_;
};

class ScoringTest : public testing::Test {
 protected:
  ScoringTest() {
    for (int i = 0; i < 5; ++i) cluster.put_node(make_node("n" + std::to_string(i)).object());
    pod = PodReader().read(make_pod("a").object());
  }
  void add(const char* name, Wanted* wanted, int64_t weight) {
    plugins.push_back(std::make_unique<TestScore>(name, wanted));
    profile.score.push_back({.plugin = plugins.back().get(), .weight = weight});
  }
  Scoring make_with_all() {
    Scoring scoring(profile, cluster, *pod);
    for (NodeIndex i = 0; i < 5; ++i) scoring.put(i);
    return scoring;
  }

  Cluster cluster;
  PodPtr pod;
  Profile profile;
  std::vector<std::unique_ptr<TestScore>> plugins;
  SeededRandom random{1};
  const std::vector<NodeIndex> all{0, 1, 2, 3, 4};
};

TEST_F(ScoringTest, AddsUpWhatPluginsSayByTheirWeights) {
  Wanted first{.scores = {{0, 10}, {1, 20}, {2, 30}}};
  Wanted second{.normalizes = true, .scores = {{0, 4}, {1, 2}, {2, 1}}};
  Wanted third{.local = false, .scores = {{0, 1}, {1, 2}, {2, 90}}};
  add("First", &first, 2);
  add("Nothing", nullptr, 100);
  add("Second", &second, 3);
  add("Third", &third, 1);
  Scoring scoring = make_with_all();
  const std::vector<NodeIndex> some{0, 1, 2};
  const std::vector<PluginScores> scores = scoring.of(some);
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].plugin->name(), "First");
  EXPECT_EQ(scores[0].weighted, (std::vector<int64_t>{20, 40, 60}));
  EXPECT_EQ(scores[1].weighted, (std::vector<int64_t>{300, 150, 75}));
  EXPECT_EQ(scores[2].weighted, (std::vector<int64_t>{1, 2, 90}));
  EXPECT_EQ(third.begun, some);
  EXPECT_EQ(scoring.best_of(some, random), 0u);
  const std::vector<NodeIndex> without{1, 2};
  EXPECT_EQ(scoring.best_of(without, random), 1u) << "normalized among these: 40+300+2, 60+150+90";
  EXPECT_FALSE(scoring.is_simple());
}

TEST_F(ScoringTest, AsksLocalOnesOnlyWhenANodeChanged) {
  Wanted local{.scores = {{3, 50}}};
  add("Local", &local, 1);
  Scoring scoring = make_with_all();
  EXPECT_EQ(local.asked, 5);
  ASSERT_TRUE(scoring.is_simple());
  EXPECT_EQ(scoring.best_of_all(random), 3u);
  EXPECT_EQ(scoring.best_of(all, random), 3u);
  EXPECT_EQ(local.asked, 5);
  local.scores[3] = 0;
  local.scores[1] = 10;
  scoring.put(3);
  scoring.put(1);
  EXPECT_EQ(local.asked, 7);
  EXPECT_EQ(scoring.best_of_all(random), 1u);
  scoring.leave_out(1);
  EXPECT_NE(scoring.best_of_all(random), 1u);
  for (const NodeIndex node : all) scoring.leave_out(node);
  EXPECT_FALSE(scoring.best_of_all(random));
}

TEST_F(ScoringTest, IgnoresWhatIsTheSameForAll) {
  Wanted same{.normalizes = true};
  Wanted local{.scores = {{2, 1}}};
  for (const NodeIndex node : all) same.scores[node] = 7;
  add("Same", &same, 1);
  add("Local", &local, 1);
  Scoring scoring = make_with_all();
  EXPECT_TRUE(scoring.is_simple());
  same.scores[4] = 14;
  scoring.put(4);
  EXPECT_FALSE(scoring.is_simple());
  EXPECT_EQ(scoring.best_of(all, random), 4u);
}

TEST_F(ScoringTest, KnowsNodesThatCameLater) {
  Wanted normalized{.normalizes = true};
  Wanted local{};
  add("Normalized", &normalized, 1);
  add("Local", &local, 1);
  Scoring scoring = make_with_all();
  for (int i = 5; i < 40; ++i) cluster.put_node(make_node("n" + std::to_string(i)).object());
  normalized.scores[39] = 3;
  scoring.put(39);
  const std::vector<NodeIndex> some{0, 39};
  EXPECT_EQ(scoring.best_of(some, random), 39u);
}

TEST_F(ScoringTest, TakesNodesThatWereNeverPut) {
  Wanted local{.scores = {{0, 1}, {1, 2}, {2, 3}}};
  Wanted normalized{.normalizes = true, .scores = {{0, 10}, {1, 5}, {2, 0}}};
  add("Local", &local, 1);
  add("Normalized", &normalized, 1);
  Scoring scoring(profile, cluster, *pod);
  const std::vector<NodeIndex> some{1, 2};
  EXPECT_EQ(scoring.best_of(some, random), 1u);
}

TEST_F(ScoringTest, TellsThoseThatLookBeyondNodesOfPods) {
  Wanted local{};
  Wanted beyond{.local = false};
  add("Local", &local, 1);
  add("Beyond", &beyond, 1);
  Scoring scoring = make_with_all();
  scoring.pod_added(*pod, 0);
  scoring.pod_removed(*pod, 0);
  EXPECT_EQ(local.told, "");
  EXPECT_EQ(beyond.told, "+a-a");
}

TEST_F(ScoringTest, HoldsWhileAllOfThemDo) {
  Wanted one{};
  Wanted other{};
  add("One", &one, 1);
  add("Other", &other, 1);
  const Scoring scoring = make_with_all();
  EXPECT_TRUE(scoring.is_current(*pod));
  other.holds = false;
  EXPECT_FALSE(scoring.is_current(*pod));
}

// With 10,000 draws each of four is expected 2,500 times; five deviations are 217.
TEST_F(ScoringTest, BreaksTiesEvenly) {
  Wanted local{.scores = {{0, 5}, {1, 9}, {2, 9}, {3, 9}, {4, 9}}};
  add("Local", &local, 1);
  Scoring scoring = make_with_all();
  std::map<NodeIndex, int> of_all;
  std::map<NodeIndex, int> of_these;
  for (int i = 0; i < 10'000; ++i) {
    ++of_all[*scoring.best_of_all(random)];
    ++of_these[scoring.best_of(all, random)];
  }
  for (const auto& counts : {of_all, of_these}) {
    EXPECT_EQ(counts.size(), 4u);
    EXPECT_FALSE(counts.contains(0));
    for (const auto& [node, count] : counts) EXPECT_NEAR(count, 2500, 217) << node;
  }
}

}  // namespace
}  // namespace proa::scheduler
