#include "scheduler/plugins/affinity/affinity_suggestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace proa::scheduler {
namespace affinity_suggestion {

using Meets = std::function<bool(const PodShape&)>;

std::string describe(const AffinityTerm& term) {
  if (term.selector.matches_everything()) return "any labels";
  return term.selector.matches_nothing() ? "labels that no pod has" : term.selector.str();
}

// How many pods, in that domain or in all, are such ones.
size_t count_pods(const Cluster& cluster, const Domains& domains, DomainIndex in,
                  const Meets& meets) {
  size_t found = 0;
  for (NodeIndex index = 0; index < cluster.slots(); ++index) {
    const Node* node = cluster.node(index);
    if (node == nullptr || domains.of(index) == kNoDomain) continue;
    if (in != kNoDomain && domains.of(index) != in) continue;
    for (const PodPtr& pod : node->pods()) found += meets(*pod->shape) ? 1 : 0;
  }
  return found;
}

// Whether it is the first of pods that want to be together.
bool is_first(const Cluster& cluster, IncomingPod& pod) {
  if (!pod.means_by_all_affinity(pod.shape())) return false;
  const std::vector<AffinityTerm>& terms = pod.shape().affinity;
  return std::none_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return count_pods(cluster, cluster.domains(term.topology_key), kNoDomain,
                      [&](const PodShape& other) { return pod.means_by_all_affinity(other); }) > 0;
  });
}

std::string suggest_near(const Cluster& cluster, IncomingPod& pod, NodeIndex node) {
  for (const AffinityTerm& term : pod.shape().affinity) {
    if (cluster.domains(term.topology_key).of(node) == kNoDomain) {
      return fmt::format("label it with {}", term.topology_key);
    }
  }
  for (const AffinityTerm& term : pod.shape().affinity) {
    const Domains& domains = cluster.domains(term.topology_key);
    const DomainIndex domain = domains.of(node);
    const size_t there = count_pods(cluster, domains, domain, [&](const PodShape& other) {
      return pod.means_by_all_affinity(other);
    });
    if (there > 0) continue;
    if (is_first(cluster, pod)) return {};
    return fmt::format("run a pod with {} in {}={}", describe(term), term.topology_key,
                       domains.value(domain));
  }
  return {};
}

std::string must_go(size_t pods, std::string_view which, const Domains& domains, NodeIndex node) {
  return fmt::format("remove {} {} {} from {}={}", pods, pods == 1 ? "pod" : "pods", which,
                     domains.key(), domains.value(domains.of(node)));
}

std::string suggest_far(const Cluster& cluster, IncomingPod& pod, NodeIndex node) {
  for (const AffinityTerm& term : pod.shape().anti_affinity) {
    const Domains& domains = cluster.domains(term.topology_key);
    if (domains.of(node) == kNoDomain) continue;
    const size_t there = count_pods(cluster, domains, domains.of(node),
                                    [&](const PodShape& other) { return pod.means(term, other); });
    if (there > 0) return must_go(there, "with " + describe(term), domains, node);
  }
  return {};
}

// The labels by which pods want it far from them, each once.
std::vector<std::string> unwanted_by(const Cluster& cluster, IncomingPod& pod) {
  std::vector<std::string> labels;
  for (NodeIndex index = 0; index < cluster.slots(); ++index) {
    const Node* node = cluster.node(index);
    if (node == nullptr || node->pods_with_anti_affinity() == 0) continue;
    for (const PodPtr& other : node->pods()) {
      for (const AffinityTerm& term : other->shape->anti_affinity) {
        if (pod.is_meant_by(term)) labels.push_back(term.topology_key);
      }
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

std::string suggest_unwanted(const Cluster& cluster, IncomingPod& pod, NodeIndex node) {
  for (const std::string& label : unwanted_by(cluster, pod)) {
    const Domains& domains = cluster.domains(label);
    if (domains.of(node) == kNoDomain) continue;
    const auto wants_it_far = [&](const PodShape& other) {
      return std::any_of(other.anti_affinity.begin(), other.anti_affinity.end(),
                         [&](const AffinityTerm& term) {
                           return term.topology_key == label && pod.is_meant_by(term);
                         });
    };
    const size_t there = count_pods(cluster, domains, domains.of(node), wants_it_far);
    if (there > 0) return must_go(there, "with anti-affinity to this one", domains, node);
  }
  return {};
}

}  // namespace affinity_suggestion

std::string mend_affinity(const Cluster& cluster, IncomingPod& pod, NodeIndex node) {
  using namespace affinity_suggestion;
  std::string text = suggest_near(cluster, pod, node);
  if (text.empty()) text = suggest_far(cluster, pod, node);
  if (text.empty()) text = suggest_unwanted(cluster, pod, node);
  return text;
}

}  // namespace proa::scheduler
