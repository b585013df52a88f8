#include "scheduler/plugins/spread/spread_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "scheduler/plugins/spread/counting.h"

namespace proa::scheduler {
namespace spread_scorer {

constexpr std::string_view kHostname = "kubernetes.io/hostname";

// Half up, of what is not negative; std::round is a call.
int64_t round_half_up(double value) {
  const auto whole = static_cast<int64_t>(value);
  return whole + (value - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

// One constraint, and how the pods that it counts are spread now.
struct Part {
  // Each node is a domain of its own, regardless of policies: upstream's Score treats the hostname
  // label like this.
  bool by_node = false;
  double base = 0;              // added to every node: maxSkew reduces differences
  NodeDomains domain_of = {};   // by_node: the slot itself; kNoDomain: adds nothing to the score
  NodeDomains present_in = {};  // the same, with nodes that lack the label in one more
  NodeDomains counted_in = {};  // of those whose pods count
  std::vector<int32_t> counts = {};
  size_t domains = 0;  // that nodes are in which may be feasible

  // For the feasible nodes of the last begin().
  double weight = 0;
  std::vector<double> scores = {};     // by domain
  std::vector<uint32_t> seen_in = {};  // the round in which a feasible node was there last

  void add(NodeIndex node, int32_t pods) {
    // A node may have been added since: then this object is about to be recreated.
    if (node >= counted_in.size() || counted_in[node] == kNoDomain) return;
    counts[counted_in[node]] += pods;
  }
  double score_of(int32_t pods) const { return static_cast<double>(pods) * weight + base; }
};

// A label without a value is the same for upstream's PreScore as no label: both are the text "".
DomainIndex unlabelled_domain(const Domains& domains) {
  for (size_t i = 0; i < domains.size(); ++i) {
    if (domains.value(static_cast<DomainIndex>(i)).empty()) return static_cast<DomainIndex>(i);
  }
  return static_cast<DomainIndex>(domains.size());
}

void read_nodes_one_by_one(const Domains& domains, const NodeFlags& exists, Part& part) {
  part.domain_of = domains_of(domains, exists);
  part.counted_in.resize(exists.size(), kNoDomain);
  for (NodeIndex index = 0; index < exists.size(); ++index) {
    const auto self = static_cast<DomainIndex>(index);
    if (part.domain_of[index] != kNoDomain) part.domain_of[index] = self;
    part.counted_in[index] = self;
  }
  part.counts.resize(exists.size(), 0);
}

void read_domains(const Domains& domains, const NodeFlags& usable, const NodeFlags& counted,
                  Part& part) {
  const DomainIndex unlabelled = unlabelled_domain(domains);
  part.domain_of = domains_of(domains, usable);
  part.present_in = domains_of(domains, usable, unlabelled);
  part.counted_in = domains_of(domains, counted, unlabelled);
  part.counts.resize(domains.size() + 1, 0);
  part.scores.resize(domains.size() + 1, 0);
  part.seen_in.resize(domains.size() + 1, 0);
  std::vector<uint8_t> known(domains.size() + 1, 0);
  for (const DomainIndex domain : part.present_in) {
    if (domain != kNoDomain && std::exchange(known[domain], 1) == 0) ++part.domains;
  }
}

Part make_part(const Cluster& cluster, const PodShape& pod, const SpreadConstraint& constraint,
               const NodeFlags& usable) {
  Part part;
  part.by_node = constraint.topology_key == kHostname;
  part.base = static_cast<double>(constraint.max_skew - 1);
  const Domains& domains = cluster.domains(constraint.topology_key);
  if (part.by_node) {
    read_nodes_one_by_one(domains, existing_nodes(cluster), part);
  } else {
    read_domains(domains, usable, counted_nodes(cluster, pod, constraint, usable), part);
  }
  return part;
}

class SpreadScorer final : public NodeScorer {
 public:
  SpreadScorer(const PodShape& pod, std::span<const SpreadConstraint> constraints,
               FoundSelector found)
      : counting_(pod, constraints), found_(std::move(found)) {}

  void fill(const Cluster& cluster, PlacedPods& placed, const PodShape& pod, bool all_labels) {
    usable_ = all_labels ? nodes_with_all_labels(cluster, counting_.constraints())
                         : existing_nodes(cluster);
    const auto usable = static_cast<size_t>(std::count(usable_.begin(), usable_.end(), 1));
    all_usable_ = usable == cluster.node_count();
    for (const SpreadConstraint& constraint : counting_.constraints()) {
      parts_.push_back(make_part(cluster, pod, constraint, usable_));
    }
    counting_.for_placed(
        placed, [&](size_t part, NodeIndex node, int32_t pods) { parts_[part].add(node, pods); });
  }

  bool is_local() const override { return false; }
  bool normalizes() const override { return true; }
  void pod_added(const Pod& pod, NodeIndex node) override { change(pod, node, 1); }
  void pod_removed(const Pod& pod, NodeIndex node) override { change(pod, node, -1); }
  bool is_current(const Pod& pod) const override { return found_.is_current(pod); }

  // Constraints over many domains would drown those over few: each is weighed by how many there
  // are.
  void begin(std::span<const NodeIndex> feasible) override {
    ++round_;
    for (Part& part : parts_) {
      const size_t size = part.by_node ? count_usable(feasible) : see_domains(part, feasible);
      part.weight = std::log(static_cast<double>(size + 2));
      for (size_t i = 0; i < part.scores.size(); ++i)
        part.scores[i] = part.score_of(part.counts[i]);
    }
  }

  int64_t score(NodeIndex index, const Node& node) override {
    static_cast<void>(node);
    if (usable_[index] == 0) return 0;
    double sum = 0;
    for (const Part& part : parts_) {
      const DomainIndex domain = part.domain_of[index];
      if (domain == kNoDomain) continue;
      sum += part.by_node ? part.score_of(part.counts[domain]) : part.scores[domain];
    }
    return round_half_up(sum);
  }

  void normalize(std::span<const NodeIndex> feasible, std::span<int64_t> scores) override {
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t most = 0;
    for (size_t i = 0; i < scores.size(); ++i) {
      if (usable_[feasible[i]] == 0) continue;
      least = std::min(least, scores[i]);
      most = std::max(most, scores[i]);
    }
    const auto divisor = static_cast<double>(most);
    for (size_t i = 0; i < scores.size(); ++i) {
      if (usable_[feasible[i]] == 0) {
        scores[i] = 0;
      } else if (most == 0) {
        scores[i] = kMaxScore;
      } else {
        // The quotient of integers, cut off: below 2^52 doubles give the same, and sooner.
        const int64_t dividend = kMaxScore * (most + least - scores[i]);
        scores[i] = static_cast<int64_t>(static_cast<double>(dividend) / divisor);
      }
    }
  }

 private:
  size_t count_usable(std::span<const NodeIndex> feasible) const {
    if (all_usable_) return feasible.size();
    return static_cast<size_t>(std::count_if(
        feasible.begin(), feasible.end(), [this](NodeIndex index) { return usable_[index] != 0; }));
  }

  // In how many domains feasible nodes are; mostly all are seen after a few nodes.
  size_t see_domains(Part& part, std::span<const NodeIndex> feasible) const {
    size_t seen = 0;
    for (const NodeIndex index : feasible) {
      const DomainIndex domain = part.present_in[index];
      if (domain == kNoDomain || part.seen_in[domain] == round_) continue;
      part.seen_in[domain] = round_;
      if (++seen == part.domains) break;
    }
    return seen;
  }

  void change(const Pod& pod, NodeIndex node, int32_t pods) {
    const std::vector<uint8_t>& counts = counting_.of(pod);
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) parts_[i].add(node, pods);
    }
  }

  PodCounting counting_;
  const FoundSelector found_;
  NodeFlags usable_;  // the others are ignored: they get nothing
  bool all_usable_ = true;
  std::vector<Part> parts_;
  uint32_t round_ = 0;
};

class IdleScorer final : public NodeScorer {
 public:
  explicit IdleScorer(FoundSelector found) : found_(std::move(found)) {}

  bool is_current(const Pod& pod) const override { return found_.is_current(pod); }
  int64_t score(NodeIndex index, const Node& node) override {
    static_cast<void>(index), static_cast<void>(node);
    return 0;
  }

 private:
  const FoundSelector found_;
};

}  // namespace spread_scorer

std::unique_ptr<NodeScorer> make_spread_scorer(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               bool all_labels, FoundSelector found) {
  auto scorer = std::make_unique<spread_scorer::SpreadScorer>(pod, constraints, std::move(found));
  scorer->fill(cluster, placed, pod, all_labels);
  return scorer;
}

std::unique_ptr<NodeScorer> make_idle_spread_scorer(FoundSelector found) {
  return std::make_unique<spread_scorer::IdleScorer>(std::move(found));
}

}  // namespace proa::scheduler
