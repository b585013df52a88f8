#include "scheduler/cycle/evaluation.h"

#include <gtest/gtest.h>

#include <map>

#include "scheduler/cycle/evaluations.h"
#include "testkit/scheduler/default_bench.h"

namespace proa::scheduler {
namespace {

using testkit::DefaultBench;
using testkit::make_node;
using testkit::make_pod;
using testkit::NodeBuilder;
using testkit::PodBuilder;

NodeBuilder node(std::string_view name, std::string_view cpu = "2") {
  return make_node(name).hostname(name).zone("z1").capacity(
      {{"cpu", std::string(cpu)}, {"memory", "8Gi"}, {"pods", "110"}});
}

PodBuilder pod(std::string_view name, std::string_view cpu = "1") {
  return make_pod(name).request({{"cpu", std::string(cpu)}});
}

std::string reason(const Diagnosis::Rejection& rejection) {
  if (rejection.plugin == nullptr) return "";
  return std::string(rejection.plugin->name()) + ": " + rejection.verdict.reasons->front();
}

// Rejects nodes by their names, and remembers who was asked.
class TestFilter final : public FilterPlugin {
 public:
  TestFilter(std::string name, bool local) : name_(std::move(name)), local_(local) {}
  std::string_view name() const override { return name_; }
  PreFiltered pre_filter(const Pod&) override;

  std::vector<std::string> rejected = {};
  std::vector<std::string> asked = {};
  bool holds = true;
  int made = 0;
  ReasonBook reasons;

 private:
  friend class TestNodeFilter;
  const std::string name_;
  const bool local_;
};

class TestNodeFilter final : public NodeFilter {
 public:
  explicit TestNodeFilter(TestFilter& filter) : filter_(filter) {}
  bool is_local() const override { return filter_.local_; }
  bool is_current(const Pod&) const override { return filter_.holds; }
  Verdict check(NodeIndex, const Node& node) override {
    filter_.asked.push_back(node.name().str());
    const auto& names = filter_.rejected;
    if (std::find(names.begin(), names.end(), node.name().view()) == names.end()) return {};
    return filter_.reasons.say(Code::kUnschedulable, filter_.name_ + " says no");
  }

 private:
  TestFilter& filter_;
};

PreFiltered TestFilter::pre_filter(const Pod&) {
  ++made;
  PreFiltered filtered;
  filtered.filter = std::make_unique<TestNodeFilter>(*this);
  return filtered;
}

class FakeEvaluationTest : public testing::Test {
 protected:
  void add_node(std::string_view name) { cluster.put_node(node(name).object()); }
  PodPtr read(const PodBuilder& pod) { return reader.read(pod.object()); }

  Cluster cluster;
  Nominations nominations;
  PodReader reader;
  SeededRandom random{1};
  Profile profile;
};

TEST_F(FakeEvaluationTest, AsksOnlyAboutNodesThatChanged) {
  TestFilter local("Local", true);
  TestFilter beyond("Beyond", false);
  profile.filter = {&local, &beyond};
  for (const char* name : {"n1", "n2", "n3"}) add_node(name);
  Evaluations evaluations(cluster, nominations);
  const PodPtr a = read(pod("a"));
  evaluations.of(profile, *a).choose(random);
  EXPECT_EQ(local.asked, (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_EQ(beyond.asked, (std::vector<std::string>{"n1", "n2", "n3"}));
  local.asked.clear();
  beyond.asked.clear();
  cluster.assume(on_node(*a, api::NodeNameView("n2")));
  local.rejected = {"n2"};
  const PodPtr b = read(pod("b"));
  Evaluation& evaluation = evaluations.of(profile, *b);
  EXPECT_EQ(evaluation.feasible(), (std::vector<NodeIndex>{0, 2}));
  EXPECT_EQ(local.asked, std::vector<std::string>{"n2"});
  EXPECT_EQ(beyond.asked, (std::vector<std::string>{"n1", "n3"})) << "only those that are left";
  EXPECT_EQ(local.made, 1);
}

TEST_F(FakeEvaluationTest, IsMadeAnewWhenMoreThanPodsChanged) {
  TestFilter local("Local", true);
  profile.filter = {&local};
  add_node("n1");
  Evaluations evaluations(cluster, nominations);
  const PodPtr a = read(pod("a"));
  const auto made = [&] {
    const int before = local.made;
    evaluations.of(profile, *a);
    return local.made - before;
  };
  EXPECT_EQ(made(), 1);
  EXPECT_EQ(made(), 0);
  cluster.put_node(node("n1", "4").object());
  EXPECT_EQ(made(), 0) << "more room is of that node alone";
  cluster.put_node(node("n1", "4").label("disk", "fast").object());
  EXPECT_EQ(made(), 1);
  add_node("n2");
  EXPECT_EQ(made(), 1);
  cluster.remove_node(api::NodeNameView("n2"));
  EXPECT_EQ(made(), 1);
  local.holds = false;
  EXPECT_EQ(made(), 1);
  local.holds = true;
  EXPECT_EQ(made(), 0);
  const PodPtr placed = read(pod("there").node("n1"));
  for (int i = 0; i < 20'000; ++i) {
    cluster.put_pod(placed);
    cluster.remove_pod(placed->uid());
  }
  EXPECT_EQ(made(), 1) << "the changes are forgotten";
}

TEST_F(FakeEvaluationTest, NamesTheFirstThatRejectsWhateverTheirOrder) {
  struct Case {
    const char* name;
    bool first_is_local;
    std::vector<std::string> first;
    std::vector<std::string> second;
    std::string expected;
  };
  const std::vector<Case> cases = {
      {"both, local first", true, {"n1"}, {"n1"}, "First: First says no"},
      {"both, local last", false, {"n1"}, {"n1"}, "First: First says no"},
      {"the first, local", true, {"n1"}, {}, "First: First says no"},
      {"the first, not local", false, {"n1"}, {}, "First: First says no"},
      {"the second, local", false, {}, {"n1"}, "Second: Second says no"},
      {"the second, not local", true, {}, {"n1"}, "Second: Second says no"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    TestFilter first("First", c.first_is_local);
    TestFilter second("Second", !c.first_is_local);
    first.rejected = c.first;
    second.rejected = c.second;
    profile.filter = {&first, &second};
    add_node("n1");
    const PodPtr a = read(pod("a"));
    Evaluation evaluation(profile, cluster, nominations, *a);
    evaluation.refresh(*a);
    EXPECT_FALSE(evaluation.choose(random));
    EXPECT_EQ(reason(evaluation.of(0)), c.expected);
    EXPECT_EQ(evaluation.objections(0).size(), c.first.size() + c.second.size());
  }
}

TEST(Evaluation, CountsNominatedPodsForLessImportantOnesOnly) {
  struct Case {
    const char* name;
    int64_t nominated;
    int64_t asking;
    bool takes;
  };
  for (const Case& c : std::vector<Case>{{"more important", 10, 5, false},
                                         {"as important", 5, 5, false},
                                         {"less important", 1, 5, true}}) {
    SCOPED_TRACE(c.name);
    DefaultBench bench;
    bench.add(node("n1"));
    bench.nominations.set(bench.read(pod("nominated", "2").priority(c.nominated)),
                          api::NodeNameView("n1"));
    const PodPtr a = bench.read(pod("a").priority(c.asking));
    Evaluation evaluation = bench.evaluate(*a);
    evaluation.refresh(*a);
    EXPECT_EQ(evaluation.takes(0), c.takes);
    EXPECT_EQ(evaluation.choose(bench.random).has_value(), c.takes);
    EXPECT_EQ(reason(evaluation.of(0)), c.takes ? "" : "NodeResourcesFit: Insufficient cpu");
    EXPECT_EQ(bench.cluster.at(0).pods().size(), 0u);
  }
}

TEST(Evaluation, DoesNotCountAPodAgainstItself) {
  DefaultBench bench;
  bench.add(node("n1"));
  const PodPtr a = bench.read(pod("a", "2").priority(5));
  bench.nominations.set(a, api::NodeNameView("n1"));
  Evaluation evaluation = bench.evaluate(*a);
  evaluation.refresh(*a);
  EXPECT_TRUE(evaluation.takes(0));
  EXPECT_TRUE(evaluation.choose(bench.random));
  // The next one of the same shape is another.
  const PodPtr b = bench.read(pod("b", "2").priority(5));
  evaluation.refresh(*b);
  EXPECT_FALSE(evaluation.choose(bench.random));
}

TEST(Evaluation, WantsANodeToDoWithNominatedPodsAndWithoutThem) {
  DefaultBench bench;
  bench.add(node("n1", "8"));
  // It must be near a pod that may never come.
  bench.nominations.set(bench.read(pod("web").label("app", "web").priority(10)),
                        api::NodeNameView("n1"));
  const PodPtr a =
      bench.read(pod("a").pod_affinity("topology.kubernetes.io/zone", {{"app", "web"}}));
  Evaluation evaluation = bench.evaluate(*a);
  evaluation.refresh(*a);
  EXPECT_FALSE(evaluation.choose(bench.random));
  bench.nominations.remove(api::Uid(testkit::usual_uid("default", "web")));
  bench.add(pod("web").label("app", "web").node("n1"));
  evaluation.refresh(*a);
  EXPECT_TRUE(evaluation.choose(bench.random));
}

TEST(Evaluation, KnowsWhichNodesAPreFilterLeft) {
  DefaultBench bench;
  for (const char* name : {"n1", "n2", "n3"}) bench.add(node(name));
  const PodPtr a =
      bench.read(pod("a").node_name_affinity("In", {"n2"}).node_name_affinity("In", {"n9"}));
  Evaluation evaluation = bench.evaluate(*a);
  evaluation.refresh(*a);
  EXPECT_FALSE(evaluation.can_be_kept());
  EXPECT_TRUE(evaluation.takes(1));
  EXPECT_FALSE(evaluation.takes(0));
  EXPECT_EQ(evaluation.choose(bench.random), 1u);
  EXPECT_EQ(reason(evaluation.of(0)),
            "NodeAffinity: node(s) didn't satisfy plugin(s) [NodeAffinity]");
}

TEST(Evaluation, SaysTheSameOfAllNodesAfterAPreFilterRejected) {
  DefaultBench bench;
  bench.add(node("n1"));
  const PodPtr a = bench.read(pod("a").claim("data"));
  Evaluation evaluation = bench.evaluate(*a);
  evaluation.refresh(*a);
  EXPECT_FALSE(evaluation.choose(bench.random));
  EXPECT_FALSE(evaluation.takes(0));
  EXPECT_EQ(reason(evaluation.of(0)),
            "VolumeRestrictions: persistentvolumeclaim \"data\" not found");
}

TEST(Evaluations, KeepOnesThatWereUsedLast) {
  DefaultBench bench;
  for (int i = 0; i < 3; ++i) bench.add(node("n" + std::to_string(i)));
  Evaluations evaluations(bench.cluster, bench.nominations);
  std::map<int, const Evaluation*> first;
  // Whatever was kept or not, the answers are those of the moment.
  for (int round = 0; round < 3; ++round) {
    for (int i = 1; i <= 5; ++i) {
      const PodPtr a = bench.read(pod("a", std::to_string(i) + "00m"));
      Evaluation& evaluation = evaluations.of(bench.profile(), *a);
      EXPECT_EQ(evaluation.feasible().size(), 3u - static_cast<size_t>(round));
      if (round == 0) first[i] = &evaluation;
      EXPECT_EQ(&evaluation, first[i]);
    }
    bench.add(pod("full" + std::to_string(round), "2").node("n" + std::to_string(round)));
  }
}

TEST(Evaluations, KeepNothingForPodsWithVolumes) {
  DefaultBench bench;
  bench.add(node("n1"));
  Evaluations evaluations(bench.cluster, bench.nominations);
  const PodPtr a = bench.read(pod("a").claim("data"));
  const Evaluation* passing = &evaluations.of(bench.profile(), *a);
  EXPECT_FALSE(passing->can_be_kept());
  const PodPtr b = bench.read(pod("b"));
  EXPECT_TRUE(evaluations.of(bench.profile(), *b).choose(bench.random));
}

}  // namespace
}  // namespace proa::scheduler
