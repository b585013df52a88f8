#include <algorithm>

#include "scheduler/plugins/spread/placed_pods.h"
#include "testkit/scheduler/plugins/test_spread.h"

namespace proa::scheduler::spread_test {
namespace {

// A cluster that pods come to and go from as chance has it, and what follows them: told of each, it
// must equal a fresh one.
class Churn {
 public:
  explicit Churn(uint64_t seed) : random_(seed) {
    const std::string zone = "topology.kubernetes.io/zone=";
    for (int i = 0; i < 24; ++i) {
      std::string words = fmt::format("n{} node={} disk={}", i, i, i % 2);
      if (i % 11 != 5) words += fmt::format(" host={}", i / 2);  // some are called alike
      if (i % 7 != 3) words += fmt::format(" {}{}", zone, random_.below(4));
      if (i % 6 == 0) words += " !";
      world.add_nodes({words});
    }
    world.tell("services", testkit::make_service("s").selector({{"baz", ""}}));
    add_waiting();
    for (int i = 0; i < 40; ++i) come();
    for (const PodPtr& pod : waiting_) {
      filters_.push_back(world.filter(*pod));
      scorers_.push_back(world.scorer(*pod));
    }
  }

  // One pod comes, goes, or begins to go; everybody is told as the cluster logs it.
  void step() {
    const uint64_t seen = world.cluster.changes();
    const uint64_t choice = random_.below(10);
    if (choice < 5 || placed_.empty()) {
      come();
    } else {
      const size_t which = random_.below(placed_.size());
      if (choice < 8) {
        world.cluster.remove_pod(placed_[which]->uid());
        placed_.erase(placed_.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        put(which,
            pod_of("-" + words_.find(placed_[which]->name())->second, placed_[which]->name()));
      }
    }
    const auto changes = world.cluster.changes_since(seen);
    for (const ClusterChange& change : *changes) tell(change);
  }

  void expect_same_as_anew() {
    std::vector<NodeIndex> feasible;
    for (const NodeIndex index : world.nodes()) {
      if (random_.below(4) != 0) feasible.push_back(index);
    }
    for (size_t i = 0; i < waiting_.size(); ++i) {
      SCOPED_TRACE(i);
      if (const auto filter = world.filter(*waiting_[i])) {
        EXPECT_EQ(world.answers(*filters_[i]), world.answers(*filter));
      }
      if (const auto scorer = world.scorer(*waiting_[i])) {
        EXPECT_EQ(world.scores(*scorers_[i], feasible), world.scores(*scorer, feasible));
      }
    }
  }

  SpreadWorld world{"{}"};

 private:
  void add_waiting() {
    const std::string_view zone = "topology.kubernetes.io/zone";
    Rule domains = hard(2, zone, "bar");
    domains.min_domains = 6;
    const std::vector<Rule> rules[] = {
        {hard(1, zone)},
        {hard(2, "node"), hard(1, zone, "bar")},
        {domains, hard(3, kHost), soft(1, kHost)},
        {honoring_taints(hard(1, zone)), soft(2, zone, "bar"), honoring_taints(soft(1, "node"))},
        {soft(1, kHost), soft(3, zone, "bar"), ignoring_affinity(soft(1, "disk"))},
        {hard(1, zone, "{}"), soft(1, zone, "")},
    };
    int number = 0;
    for (const std::vector<Rule>& one : rules) {
      PodBuilder pod = waiting("foo", one);
      if (++number % 2 == 0) pod.node_selector({{"disk", "1"}});
      waiting_.push_back(world.read(pod));
    }
    waiting_.push_back(world.read(testkit::make_pod("p").label("baz", "")));
  }

  void put(size_t which, const PodBuilder& pod) {
    placed_[which] = world.read(pod);
    world.cluster.put_pod(placed_[which]);
  }

  void come() {
    static const std::string_view kLabels[] = {"foo", "bar", "foo bar", "baz", "other", ""};
    const std::string name = fmt::format("pod-{}", ++number_);
    const std::string words =
        fmt::format("{}{}@n{}", random_.below(5) == 0 ? "elsewhere/" : "",
                    kLabels[random_.below(std::size(kLabels))], random_.below(25));
    words_[name] = words;
    placed_.emplace_back();
    put(placed_.size() - 1, pod_of(words, name));
  }

  void tell(const ClusterChange& change) {
    const auto told = [&](ShapeResult* one) {
      if (one == nullptr || one->is_local()) return;
      if (change.kind == ClusterChange::Kind::kPodAdded) one->pod_added(*change.pod, change.node);
      if (change.kind == ClusterChange::Kind::kPodRemoved) {
        one->pod_removed(*change.pod, change.node);
      }
    };
    for (const auto& filter : filters_) told(filter.get());
    for (const auto& scorer : scorers_) told(scorer.get());
  }

  SeededRandom random_;
  std::vector<PodPtr> waiting_;
  std::vector<std::unique_ptr<NodeFilter>> filters_;
  std::vector<std::unique_ptr<NodeScorer>> scorers_;
  std::vector<PodPtr> placed_;
  std::map<std::string, std::string, std::less<>> words_;
  int number_ = 0;
};

TEST(PodTopologySpread, IsToldOfPodsAndSaysWhatOneSaysThatIsMadeAnew) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Churn churn(seed);
    for (int round = 0; round < 25; ++round) {
      for (int i = 0; i < 4; ++i) churn.step();
      churn.expect_same_as_anew();
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(PodTopologySpread, CountsTheSameWhetherItFollowedTheClusterOrCountsAnew) {
  Churn churn(9);
  for (int i = 0; i < 300; ++i) churn.step();
  // Followed all of it, change by change, against one that has just begun.
  PlacedPods placed(churn.world.cluster);
  for (int i = 0; i < 300; ++i) {
    churn.step();
    placed.in("default");
  }
  PlacedPods anew(churn.world.cluster);
  for (const std::string name_space : {"default", "elsewhere", "none"}) {
    const PlacedPods::Groups& followed = placed.in(name_space);
    const PlacedPods::Groups& counted = anew.in(name_space);
    ASSERT_EQ(followed.size(), counted.size());
    for (const auto& [shape, group] : counted) {
      const auto found = followed.find(shape);
      ASSERT_NE(found, followed.end());
      EXPECT_EQ(found->second.on, group.on);
    }
  }
  EXPECT_TRUE(anew.in("none").empty());
  EXPECT_FALSE(anew.in("default").empty());
}

TEST(PodTopologySpread, WantsToHearOfPodsAndNodes) {
  SpreadWorld world;
  EXPECT_EQ(world.plugin().name(), "PodTopologySpread");
  std::map<EventResource, uint32_t> actions;
  for (const EventInterest& one : world.plugin().events()) actions[one.resource] = one.actions;
  const uint32_t pod =
      action::kAdd | action::kDelete | action::kUpdatePodLabel | action::kUpdatePodToleration;
  EXPECT_EQ(actions[EventResource::kAssignedPod], pod);
  EXPECT_EQ(actions[EventResource::kUnscheduledPod], pod);
  EXPECT_EQ(actions[EventResource::kNode],
            action::kAdd | action::kDelete | action::kUpdateNodeLabel | action::kUpdateNodeTaint);
  EXPECT_EQ(actions.size(), 3u);
}

}  // namespace
}  // namespace proa::scheduler::spread_test
