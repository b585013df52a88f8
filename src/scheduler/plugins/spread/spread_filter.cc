#include "scheduler/plugins/spread/spread_filter.h"

#include <fmt/format.h>

#include "scheduler/plugins/spread/counting.h"
#include "scheduler/plugins/spread/domain_counts.h"

namespace proa::scheduler {
namespace spread_filter {

// One constraint, and how the pods that it counts are spread now.
struct Part {
  const Domains* domains = nullptr;
  NodeDomains domain_of = {};   // of all nodes
  NodeDomains counted_in = {};  // of those whose pods count
  DomainCounts counts = DomainCounts();
  int32_t max_skew = 1;
  int32_t min_domains = 1;
  int32_t self = 0;   // 1: the pod matches its own selector
  int64_t limit = 0;  // maximum number of matching pods in a domain before the pod is added

  // With fewer domains than wanted, there might be an empty one.
  int32_t least() const { return counts.eligible() < min_domains ? 0 : counts.least(); }
  void set_limit() { limit = int64_t{max_skew} - self + least(); }

  void add(NodeIndex node, int32_t pods) {
    // A node may have been added since: then this object is about to be recreated.
    if (node >= counted_in.size() || counted_in[node] == kNoDomain) return;
    counts.add(counted_in[node], pods);
  }
};

Part make_part(const Cluster& cluster, const PodShape& pod, const SpreadConstraint& constraint,
               const NodeFlags& with_all_labels) {
  Part part;
  part.domains = &cluster.domains(constraint.topology_key);
  part.domain_of = domains_of(*part.domains, existing_nodes(cluster));
  part.counted_in =
      domains_of(*part.domains, counted_nodes(cluster, pod, constraint, with_all_labels));
  part.counts = DomainCounts(part.domains->size());
  for (const DomainIndex domain : part.counted_in) {
    if (domain != kNoDomain) part.counts.make_eligible(domain);
  }
  part.max_skew = constraint.max_skew;
  part.min_domains = constraint.min_domains;
  // Unlike others it counts for a selector of everything, too: upstream's Filter.
  part.self = constraint.selector.matches(pod.labels.all()) ? 1 : 0;
  return part;
}

class SpreadFilter final : public NodeFilter {
 public:
  SpreadFilter(const PodShape& pod, std::span<const SpreadConstraint> constraints,
               FoundSelector found, const SpreadVerdicts& verdicts)
      : counting_(pod, constraints), found_(std::move(found)), verdicts_(verdicts) {}

  void fill(const Cluster& cluster, PlacedPods& placed, const PodShape& pod) {
    const NodeFlags with_all_labels = nodes_with_all_labels(cluster, counting_.constraints());
    for (const SpreadConstraint& constraint : counting_.constraints()) {
      parts_.push_back(make_part(cluster, pod, constraint, with_all_labels));
    }
    counting_.for_placed(
        placed, [&](size_t part, NodeIndex node, int32_t pods) { parts_[part].add(node, pods); });
    for (Part& part : parts_) part.set_limit();
  }

  bool is_local() const override { return false; }
  void pod_added(const Pod& pod, NodeIndex node) override { change(pod, node, 1); }
  void pod_removed(const Pod& pod, NodeIndex node) override { change(pod, node, -1); }
  bool is_current(const Pod& pod) const override { return found_.is_current(pod); }

  Verdict check(NodeIndex index, const Node& node) override {
    static_cast<void>(node);
    for (const Part& part : parts_) {
      const DomainIndex domain = part.domain_of[index];
      if (domain == kNoDomain) return verdicts_.no_label;
      if (part.counts.of(domain) > part.limit) return verdicts_.uneven;
    }
    return {};
  }

  std::string suggestion(NodeIndex index, const Node& node) override {
    static_cast<void>(node);
    for (const Part& part : parts_) {
      const DomainIndex domain = part.domain_of[index];
      if (domain == kNoDomain) return fmt::format("label it with {}", part.domains->key());
      const int32_t here = part.counts.of(domain);
      if (here <= part.limit) continue;
      const int64_t surplus = here - part.limit;
      return fmt::format(
          "remove {} matching pod{} from {}={} (it has {}, the minimum is {}, maxSkew {})", surplus,
          surplus == 1 ? "" : "s", part.domains->key(), part.domains->value(domain), here,
          part.least(), part.max_skew);
    }
    return {};
  }

 private:
  void change(const Pod& pod, NodeIndex node, int32_t pods) {
    const std::vector<uint8_t>& counts = counting_.of(pod);
    for (size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      parts_[i].add(node, pods);
      parts_[i].set_limit();
    }
  }

  PodCounting counting_;
  const FoundSelector found_;
  const SpreadVerdicts verdicts_;
  std::vector<Part> parts_;
};

class IdleFilter final : public NodeFilter {
 public:
  explicit IdleFilter(FoundSelector found) : found_(std::move(found)) {}

  bool is_current(const Pod& pod) const override { return found_.is_current(pod); }
  Verdict check(NodeIndex index, const Node& node) override {
    static_cast<void>(index), static_cast<void>(node);
    return {};
  }

 private:
  const FoundSelector found_;
};

}  // namespace spread_filter

std::unique_ptr<NodeFilter> make_spread_filter(const Cluster& cluster, PlacedPods& placed,
                                               const PodShape& pod,
                                               std::span<const SpreadConstraint> constraints,
                                               FoundSelector found,
                                               const SpreadVerdicts& verdicts) {
  auto filter =
      std::make_unique<spread_filter::SpreadFilter>(pod, constraints, std::move(found), verdicts);
  filter->fill(cluster, placed, pod);
  return filter;
}

std::unique_ptr<NodeFilter> make_idle_spread_filter(FoundSelector found) {
  return std::make_unique<spread_filter::IdleFilter>(std::move(found));
}

}  // namespace proa::scheduler
