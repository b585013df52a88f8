#include "apiserver/access/admission/pod_security/namespace_review.h"

#include <algorithm>
#include <map>
#include <set>

#include "apiserver/access/admission/pod_security/standards.h"

namespace proa::apiserver::pod_security {
namespace namespace_review {

using api::View;

// Pods with the same violations.
struct Alike {
  std::string first;  // by name
  size_t count = 0;

  void add(std::string_view name) {
    if (count++ == 0 || name < first) first = name;
  }

  std::string text() const {
    if (count == 1) return first;
    if (count == 2) return first + " (and 1 other pod)";
    return first + " (and " + std::to_string(count - 1) + " other pods)";
  }
};

// Empty: no violation.
std::string reasons_against(const api::Object& pod, const Standard& standard) {
  const Result<json::Document> document = pod.document();
  if (!document) return "";
  const View root = document->root();
  return reasons_of(find_violations({root["metadata"], root["spec"]}, standard));
}

const api::Metadata::Owner* controller_of(const api::Metadata& metadata) {
  const auto found = std::find_if(metadata.owners.begin(), metadata.owners.end(),
                                  [](const auto& owner) { return owner.controller; });
  return found == metadata.owners.end() ? nullptr : &*found;
}

}  // namespace namespace_review

// Pods without a controller and one pod per controller come first; other replicas are probably
// alike.
std::vector<api::ObjectPtr> NamespaceReview::prioritized(
    const std::vector<api::ObjectPtr>& pods) const {
  std::vector<api::ObjectPtr> first;
  std::vector<api::ObjectPtr> replicas;
  std::set<std::string_view> controllers;
  for (const api::ObjectPtr& pod : pods) {
    if (!exemptions_.runtime_classes.empty()) {
      const Result<json::Document> document = pod->document();
      if (document && exemptions_.has_runtime_class(api::View(document->root())["spec"])) continue;
    }
    const auto* controller = namespace_review::controller_of(pod->metadata());
    const bool is_replica = controller != nullptr && !controllers.insert(controller->uid).second;
    (is_replica ? replicas : first).push_back(pod);
  }
  first.insert(first.end(), replicas.begin(), replicas.end());
  return first;
}

std::vector<std::string> NamespaceReview::warnings(std::string_view name_space,
                                                   const Standard& standard,
                                                   const std::vector<api::ObjectPtr>& pods) const {
  const Steady deadline = clock_.steady() + limits_.time;
  const std::vector<api::ObjectPtr> all = prioritized(pods);
  std::map<std::string, namespace_review::Alike> by_reasons;
  size_t checked = 0;
  while (checked < std::min(all.size(), limits_.pods)) {
    const api::Object& pod = *all[checked++];
    const std::string reasons = namespace_review::reasons_against(pod, standard);
    if (!reasons.empty()) by_reasons[reasons].add(pod.metadata().name);
    if (clock_.steady() >= deadline) break;
  }
  std::vector<std::string> warnings;
  if (checked < all.size()) {
    warnings.push_back("new PodSecurity enforce level only checked against the first " +
                       std::to_string(checked) + " of " + std::to_string(all.size()) +
                       " existing pods");
  }
  if (by_reasons.empty()) return warnings;
  warnings.push_back("existing pods in namespace \"" + std::string(name_space) +
                     "\" violate the new PodSecurity enforce level \"" + standard.str() + "\"");
  const auto heads = static_cast<std::ptrdiff_t>(warnings.size());
  for (const auto& [reasons, pods_alike] : by_reasons) {
    warnings.push_back(pods_alike.text() + ": " + reasons);
  }
  std::sort(warnings.begin() + heads, warnings.end());
  return warnings;
}

}  // namespace proa::apiserver::pod_security
