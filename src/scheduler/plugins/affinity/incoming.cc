#include "scheduler/plugins/affinity/incoming.h"

#include <algorithm>

namespace proa::scheduler {
namespace incoming {

bool names(const AffinityTerm& term, const std::string& name_space) {
  return std::binary_search(term.namespaces.begin(), term.namespaces.end(), name_space);
}

}  // namespace incoming

api::ObjectPtr IncomingPod::find_namespace(std::string_view name) {
  if (!asked_namespaces_) {
    asked_namespaces_ = true;
    seen_ = namespaces_.generation();
  }
  return namespaces_.find(name);
}

bool IncomingPod::means(const AffinityTerm& term, const PodShape& other) {
  if (!term.selector.matches(other.labels.all())) return false;
  if (incoming::names(term, other.name_space)) return true;
  const api::LabelSelector& selector = term.namespace_selector;
  if (selector.matches_nothing() || selector.matches_everything())
    return !selector.matches_nothing();
  // Upstream turns the selector into the namespaces that there are: one that is not there is not
  // selected, not even by "has no such label".
  const api::ObjectPtr found = find_namespace(other.name_space);
  return found != nullptr && selector.matches(found->metadata().labels);
}

bool IncomingPod::means_by_all_affinity(const PodShape& other) {
  const std::vector<AffinityTerm>& terms = shape_->affinity;
  return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const AffinityTerm& term) {
    return means(term, other);
  });
}

bool IncomingPod::is_meant_by(const AffinityTerm& term) {
  if (!term.selector.matches(shape_->labels.all())) return false;
  if (incoming::names(term, shape_->name_space)) return true;
  const api::LabelSelector& selector = term.namespace_selector;
  if (selector.matches_nothing() || selector.matches_everything())
    return !selector.matches_nothing();
  // Here, unlike above, a namespace that is not there is one without labels: upstream's
  // GetNamespaceLabelsSnapshot.
  const api::ObjectPtr found = find_namespace(shape_->name_space);
  return found == nullptr ? selector.matches(std::span<const api::LabelPair>())
                          : selector.matches(found->metadata().labels);
}

}  // namespace proa::scheduler
