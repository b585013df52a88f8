#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "apiserver/access/admission/nodes/restrictions.h"
#include "base/net/ip_address.h"
#include "base/strings.h"

namespace proa::apiserver {
namespace restrict_nodes {

using api::View;
using Labels = std::set<std::string_view>;

// Labels of the Kubernetes domains that kubelets may set.
constexpr std::string_view kOwnLabels[] = {
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
};

bool is_in_domain(std::string_view prefix, std::string_view domain) {
  if (!prefix.ends_with(domain)) return false;
  prefix.remove_suffix(domain.size());
  return prefix.empty() || prefix.ends_with('.');
}

// Labels steer pods to nodes, so a node must not choose arbitrary ones. The prefix
// node-restriction.kubernetes.io is reserved for administrators in any case.
bool is_forbidden(std::string_view label) {
  const auto parts = split_once(label, '/');
  const std::string_view prefix = parts ? parts->before : std::string_view();
  if (is_in_domain(prefix, "node-restriction.kubernetes.io")) return true;
  if (!is_in_domain(prefix, "kubernetes.io") && !is_in_domain(prefix, "k8s.io")) return false;
  if (std::find(std::begin(kOwnLabels), std::end(kOwnLabels), label) != std::end(kOwnLabels)) {
    return false;
  }
  return !is_in_domain(prefix, "kubelet.kubernetes.io") &&
         !is_in_domain(prefix, "node.kubernetes.io");
}

// Among the added, removed and changed labels.
std::string forbidden_labels(View now, View old) {
  Labels found;
  const auto compare = [&found](View some, View others) {
    for (const json::Member& label : some.members()) {
      if (others[label.key] != View(label.value) && is_forbidden(label.key)) {
        found.insert(label.key);
      }
    }
  };
  compare(now, old);
  compare(old, now);
  const std::vector<std::string_view> sorted(found.begin(), found.end());
  return join(std::span<const std::string_view>(sorted), ", ");
}

std::vector<IpPrefix> pod_ranges_of(View node) {
  std::vector<IpPrefix> ranges;
  const auto add = [&](View text) {
    if (const auto range = parse_prefix(text.text())) ranges.push_back(*range);
  };
  for (const View text : node["spec"]["podCIDRs"].items()) add(text);
  // Old clients set this one alone.
  if (ranges.empty()) add(node["spec"]["podCIDR"]);
  return ranges;
}

bool is_within(const IpPrefix& range, std::span<const IpPrefix> allowed) {
  return std::ranges::any_of(
      allowed, [&](const IpPrefix& one) { return overlap(one, range) && one.bits <= range.bits; });
}

// All others send what is for this range to the node: it must not be what is another's.
Result<void> check_pod_ranges(const NodeChange& change) {
  const std::vector<IpPrefix> ranges = pod_ranges_of(change.object);
  if (ranges.empty() || ranges == pod_ranges_of(change.old())) return {};
  for (const IpPrefix& range : ranges) {
    if (change.pod_ranges.empty() || is_within(range, change.pod_ranges)) continue;
    return change.forbidden_to_node("is not allowed to have the pod CIDR " + range.str() +
                                    ", which is not in the cluster's (--cluster-cidr)");
  }
  for (const api::ObjectPtr& other : TRY(change.objects.list("", "nodes", ""))) {
    if (other->metadata().name == change.node) continue;
    const json::Document document = TRY(other->document());
    for (const IpPrefix& theirs : pod_ranges_of(View(document.root()))) {
      for (const IpPrefix& range : ranges) {
        if (!overlap(range, theirs)) continue;
        return change.forbidden_to_node("is not allowed to have the pod CIDR " + range.str() +
                                        ", which overlaps that of node " +
                                        api::quoted(other->metadata().name));
      }
    }
  }
  return {};
}

Result<void> check_create(const NodeChange& change) {
  TRY(check_pod_ranges(change));
  if (change.object["spec"]["configSource"]) {
    return change.forbidden_to_node("is not allowed to create pods with a non-nil configSource");
  }
  const std::string labels = forbidden_labels(change.object["metadata"]["labels"], {});
  if (labels.empty()) return {};
  return change.forbidden_to_node("is not allowed to set the following labels: " + labels);
}

Result<void> check_update(const NodeChange& change) {
  TRY(check_pod_ranges(change));
  const View spec = change.object["spec"];
  const View old_spec = change.old()["spec"];
  // Old kubelets remove it.
  if (spec["configSource"] && !is_same(spec["configSource"], old_spec["configSource"])) {
    return change.forbidden_to_node(
        "is not allowed to update configSource to a new non-nil configSource");
  }
  if (!is_same(spec["taints"], old_spec["taints"])) {
    return change.forbidden_to_node("is not allowed to modify taints");
  }
  const View metadata = change.object["metadata"];
  const View old_metadata = change.old()["metadata"];
  // An owner that does not exist would let a node have itself garbage-collected and register again
  // without its taints.
  if (!is_same(metadata["ownerReferences"], old_metadata["ownerReferences"])) {
    return change.forbidden_to_node("is not allowed to modify ownerReferences");
  }
  const std::string labels = forbidden_labels(metadata["labels"], old_metadata["labels"]);
  if (labels.empty()) return {};
  return change.forbidden("is not allowed to modify labels: " + labels);
}

// Those that follow from conditions and spec.unschedulable come back by themselves.
constexpr std::array<std::string_view, 7> kDerivedTaints = {
    "node.kubernetes.io/not-ready",          "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",      "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",      "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable"};

// A node that deletes itself could register again without what an administrator put on it.
Result<void> check_delete(const NodeChange& change) {
  for (const View taint : change.old()["spec"]["taints"].items()) {
    if (std::ranges::find(kDerivedTaints, taint["key"].text()) != kDerivedTaints.end()) continue;
    return change.forbidden_to_node("is not allowed to delete itself while it has taints");
  }
  const std::string labels = forbidden_labels(change.old()["metadata"]["labels"], {});
  if (labels.empty()) return {};
  return change.forbidden_to_node("is not allowed to delete itself while it has the labels: " +
                                  labels);
}

}  // namespace restrict_nodes

Result<void> restrict_node(const NodeChange& change) {
  if (change.name() != change.node) {
    return change.forbidden_to_node("is not allowed to modify node " + api::quoted(change.name()));
  }
  if (change.operation() == Operation::kCreate) return restrict_nodes::check_create(change);
  if (change.operation() == Operation::kUpdate) return restrict_nodes::check_update(change);
  if (change.operation() == Operation::kDelete) return restrict_nodes::check_delete(change);
  return {};
}

}  // namespace proa::apiserver
