#include <map>
#include <set>

#include "testkit/scheduler/plugins/test_affinity.h"

// Random pods come and go: what the filter and the scorer say after having been told of it is what
// new ones say, and what a plain calculation says that looks at everything.

namespace proa::scheduler::affinity_test {
namespace random_affinity_test {

using Domain = std::pair<std::string, std::string>;

const std::vector<std::string> kKeys = {"zone", "host", "rack", "nowhere"};
const std::vector<std::string> kNamespaces = {"a", "b", "unknown"};
const std::vector<std::string> kSelectors = {
    "app", "app=x", "app in (x,y)", "!tier", "tier=back", "app notin (x)", ""};
const std::vector<std::string> kNamespaceSelectors = {"", "team=1", "!team", "team notin (1)"};

class RandomWorld {
 public:
  explicit RandomWorld(uint64_t seed) : random_(seed) {
    world.put_namespace("a", {{"team", "1"}});
    world.put_namespace("b", {{"team", "2"}});
    for (int i = 0; i < kNodes; ++i) {
      Pairs labels = {{"zone", "z" + std::to_string(i % 3)}};
      if (chance(4)) labels.clear();
      if (!chance(6)) labels.emplace_back("host", "h" + std::to_string(i));
      if (chance(2)) labels.emplace_back("rack", "r" + std::to_string(i % 2));
      world.put(TestNode{.name = "n" + std::to_string(i), .labels = labels});
    }
    for (int i = 0; i < 12; ++i) templates_.push_back(random_pod());
  }

  bool chance(uint64_t one_in) { return random_.below(one_in) == 0; }
  template <typename T>
  const T& one_of(const std::vector<T>& from) {
    return from[random_.below(from.size())];
  }

  PodPtr incoming() { return world.read(one_of(templates_)); }
  // One comes or goes; which, and where.
  struct Moved {
    PodPtr pod;
    NodeIndex node = 0;
    bool came = false;
  };
  Moved move_one() {
    if (!placed_.empty() && chance(2)) {
      const size_t which = random_.below(placed_.size());
      const PodPtr pod = placed_[which];
      placed_.erase(placed_.begin() + static_cast<ptrdiff_t>(which));
      world.cluster.remove_pod(pod->uid());
      return {pod, *world.cluster.find(pod->node), false};
    }
    TestPod pod = one_of(templates_);
    pod.node = "n" + std::to_string(random_.below(kNodes));
    placed_.push_back(world.put(pod));
    return {placed_.back(), *world.cluster.find(api::NodeNameView(pod.node)), true};
  }

  AffinityWorld world;
  static constexpr int kNodes = 7;

 private:
  TestPod random_pod() {
    TestPod pod{.name_space = one_of(kNamespaces)};
    if (!chance(3)) pod.labels.emplace_back("app", chance(2) ? "x" : "y");
    if (chance(3)) pod.labels.emplace_back("tier", "back");
    const uint64_t terms = random_.below(4);
    for (uint64_t i = 0; i < terms; ++i) pod.terms.push_back(random_term());
    return pod;
  }
  TestTerm random_term() {
    using Kind = TestTerm::Kind;
    TestTerm term{.kind = one_of(std::vector<Kind>{Kind::kNear, Kind::kFar, Kind::kPreferNear,
                                                   Kind::kPreferFar}),
                  .key = one_of(kKeys),
                  .selector = one_of(kSelectors),
                  .weight = static_cast<int>(random_.below(20)) + 1};
    if (chance(3)) term.namespaces = {one_of(kNamespaces)};
    if (chance(3)) term.namespace_selector = one_of(kNamespaceSelectors);
    return term;
  }

  SeededRandom random_;
  std::vector<TestPod> templates_;
  std::vector<PodPtr> placed_;
};

// --- The plain calculation ---

class Plain {
 public:
  Plain(const Cluster& cluster, const Pod& pod) : cluster_(cluster), pod_(*pod.shape) {
    for (NodeIndex i = 0; i < cluster.slots(); ++i) {
      for (const PodPtr& other : cluster.at(i).pods()) count(*other->shape, i);
    }
  }

  std::string reason(NodeIndex node) const {
    bool all = true;
    for (const AffinityTerm& term : pod_.affinity) {
      const std::string_view* value = label(node, term.topology_key);
      if (value == nullptr) return "near";
      all &= near_.contains({term.topology_key, std::string(*value)});
    }
    const bool first = near_.empty() && means_all(pod_);
    if (!all && !first) return "near";
    if (meets(far_, node)) return "far";
    return meets(unwanted_, node) ? "unwanted" : "";
  }

  std::vector<int64_t> scores() const {
    std::vector<int64_t> raw(cluster_.slots());
    for (NodeIndex i = 0; i < raw.size(); ++i) {
      for (const auto& [domain, weight] : weights_) {
        const std::string_view* value = label(i, domain.first);
        if (value != nullptr && *value == domain.second) raw[i] += weight;
      }
    }
    const auto [low, high] = std::minmax_element(raw.begin(), raw.end());
    const int64_t least = *low;
    const int64_t range = *high - least;
    for (int64_t& one : raw) {
      const double share = static_cast<double>(one - least) / static_cast<double>(range);
      one = range == 0 ? 0 : static_cast<int64_t>(100.0 * share);
    }
    return raw;
  }

 private:
  static bool is_team(const AffinityTerm& term, const std::string& name_space) {
    const std::string_view team = name_space == "a" ? "1" : "2";
    const std::vector<api::LabelPair> labels = {{"kubernetes.io/metadata.name", name_space},
                                                {"team", team}};
    return term.namespace_selector.matches(labels);
  }
  static bool named(const AffinityTerm& term, const PodShape& shape) {
    return std::find(term.namespaces.begin(), term.namespaces.end(), shape.name_space) !=
           term.namespaces.end();
  }
  static bool means(const AffinityTerm& term, const PodShape& other) {
    const bool selected = other.name_space == "unknown"
                              ? term.namespace_selector.matches_everything()
                              : is_team(term, other.name_space);
    return (named(term, other) || selected) && term.selector.matches(other.labels.all());
  }
  bool means_all(const PodShape& other) const {
    return !pod_.affinity.empty() &&
           std::all_of(pod_.affinity.begin(), pod_.affinity.end(),
                       [&](const AffinityTerm& term) { return means(term, other); });
  }
  bool is_meant_by(const AffinityTerm& term) const {
    const bool selected = pod_.name_space == "unknown"
                              ? term.namespace_selector.matches(std::span<const api::LabelPair>())
                              : is_team(term, pod_.name_space);
    return (named(term, pod_) || selected) && term.selector.matches(pod_.labels.all());
  }
  const std::string_view* label(NodeIndex node, const std::string& key) const {
    return cluster_.at(node).facts().metadata().label(key);
  }
  bool meets(const std::set<Domain>& domains, NodeIndex node) const {
    return std::any_of(domains.begin(), domains.end(), [&](const Domain& domain) {
      const std::string_view* value = label(node, domain.first);
      return value != nullptr && *value == domain.second;
    });
  }
  void count(const PodShape& other, NodeIndex node) {
    const auto put = [&](std::set<Domain>& domains, const AffinityTerm& term) {
      const std::string_view* value = label(node, term.topology_key);
      if (value != nullptr) domains.insert({term.topology_key, std::string(*value)});
    };
    const auto weigh = [&](const AffinityTerm& term, int64_t weight) {
      const std::string_view* value = label(node, term.topology_key);
      if (value != nullptr) weights_[{term.topology_key, std::string(*value)}] += weight;
    };
    for (const AffinityTerm& term : pod_.affinity) {
      if (means_all(other)) put(near_, term);
    }
    for (const AffinityTerm& term : pod_.anti_affinity) {
      if (means(term, other)) put(far_, term);
    }
    for (const AffinityTerm& term : other.anti_affinity) {
      if (is_meant_by(term)) put(unwanted_, term);
    }
    for (const AffinityTerm& term : pod_.preferred_affinity) {
      if (means(term, other)) weigh(term, term.weight);
    }
    for (const AffinityTerm& term : pod_.preferred_anti_affinity) {
      if (means(term, other)) weigh(term, -term.weight);
    }
    for (const AffinityTerm& term : other.preferred_affinity) {
      if (is_meant_by(term)) weigh(term, term.weight);
    }
    for (const AffinityTerm& term : other.preferred_anti_affinity) {
      if (is_meant_by(term)) weigh(term, -term.weight);
    }
    for (const AffinityTerm& term : other.affinity) {
      if (is_meant_by(term)) weigh(term, 1);
    }
  }

  const Cluster& cluster_;
  const PodShape& pod_;
  std::set<Domain> near_, far_, unwanted_;
  std::map<Domain, int64_t> weights_;
};

std::string reason_of(AffinityWorld& world, NodeFilter* filter, NodeIndex node) {
  if (filter == nullptr) return "";
  const Verdict verdict = filter->check(node, world.cluster.at(node));
  if (verdict.ok()) return "";
  const std::string& reason = verdict.reasons->front();
  if (reason.find("existing") != std::string::npos) return "unwanted";
  return reason.find("anti") != std::string::npos ? "far" : "near";
}

// One pod that looks for a node, and what is kept for it.
struct Looking {
  PodPtr pod;
  std::unique_ptr<NodeFilter> filter;
  std::unique_ptr<NodeScorer> scorer;
};

void expect_right(AffinityWorld& world, const Looking& one) {
  const Plain plain(world.cluster, *one.pod);
  const auto filter = world.filter(*one.pod);
  const auto scorer = world.scorer(*one.pod);
  for (NodeIndex node = 0; node < RandomWorld::kNodes; ++node) {
    const std::string reason = plain.reason(node);
    ASSERT_EQ(reason_of(world, filter.get(), node), reason);
    if (one.filter != nullptr) {
      ASSERT_EQ(reason_of(world, one.filter.get(), node), reason);
    }
    if (filter != nullptr) {
      ASSERT_EQ(filter->suggestion(node, world.cluster.at(node)).empty(), reason.empty());
    }
  }
  ASSERT_EQ(world.scores(scorer.get()), plain.scores());
  if (one.scorer != nullptr) {
    ASSERT_EQ(world.scores(one.scorer.get()), plain.scores());
  }
}

TEST(RandomAffinity, WhatIsCountedOnIsWhatIsCountedAnew) {
  size_t rejected = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    RandomWorld random(seed);
    AffinityWorld& world = random.world;
    for (int i = 0; i < 8; ++i) random.move_one();
    std::vector<Looking> looking;
    for (int i = 0; i < 4; ++i) {
      const PodPtr pod = random.incoming();
      looking.push_back({pod, world.filter(*pod), world.scorer(*pod)});
    }
    for (int step = 0; step < 40; ++step) {
      const RandomWorld::Moved moved = random.move_one();
      for (const Looking& one : looking) {
        for (ShapeResult* worked : {static_cast<ShapeResult*>(one.filter.get()),
                                    static_cast<ShapeResult*>(one.scorer.get())}) {
          if (worked == nullptr) continue;
          if (moved.came) worked->pod_added(*moved.pod, moved.node);
          if (!moved.came) worked->pod_removed(*moved.pod, moved.node);
        }
        ASSERT_NO_FATAL_FAILURE(expect_right(world, one));
        rejected += reason_of(world, one.filter.get(), 0).empty() ? 0 : 1;
      }
    }
  }
  EXPECT_GT(rejected, 300u);  // or nothing was tried
}

}  // namespace random_affinity_test
}  // namespace proa::scheduler::affinity_test
