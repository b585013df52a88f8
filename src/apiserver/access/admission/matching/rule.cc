#include "apiserver/access/admission/matching/rule.h"

#include <algorithm>

#include "base/strings.h"

namespace proa::apiserver {
namespace admission_rule {

std::vector<std::string> texts(api::View list) {
  std::vector<std::string> texts;
  for (const api::View item : list.items()) texts.emplace_back(item.text());
  return texts;
}

bool has(const std::vector<std::string>& items, std::string_view wanted) {
  return std::ranges::any_of(
      items, [&](const std::string& item) { return item == "*" || item == wanted; });
}

}  // namespace admission_rule

AdmissionRule::AdmissionRule(api::View rule)
    : operations_(admission_rule::texts(rule["operations"])),
      groups_(admission_rule::texts(rule["apiGroups"])),
      versions_(admission_rule::texts(rule["apiVersions"])),
      names_(admission_rule::texts(rule["resourceNames"])),
      scope_(rule["scope"].text("*")) {
  for (const api::View item : rule["resources"].items()) {
    const auto halves = split_once(item.text(), '/');
    if (halves) {
      parts_.push_back({std::string(halves->before), std::string(halves->after)});
    } else {
      parts_.push_back({std::string(item.text()), ""});
    }
  }
}

bool AdmissionRule::matches(const Subject& subject, const api::Resource& version) const {
  return matches_resource(version.name, subject.subresource()) &&
         admission_rule::has(operations_, operation_name(subject.admission().operation)) &&
         admission_rule::has(groups_, version.group) &&
         admission_rule::has(versions_, version.version) && matches_scope(subject, version);
}

bool AdmissionRule::names(std::string_view name) const {
  return names_.empty() || std::ranges::find(names_, name) != names_.end();
}

bool AdmissionRule::lists_resources(std::vector<std::string_view>& resources) const {
  for (const Part& part : parts_) {
    if (part.resource == "*") return false;
    resources.push_back(part.resource);
  }
  return true;
}

// A Namespace is in itself, and yet belongs to the cluster.
bool AdmissionRule::matches_scope(const Subject& subject, const api::Resource& version) const {
  if (scope_ == "*") return true;
  const bool is_namespace =
      version.group.empty() && version.version == "v1" && version.name == "namespaces";
  const bool of_cluster = is_namespace || subject.name_space().empty();
  if (scope_ == "Cluster") return of_cluster;
  return scope_ == "Namespaced" && !of_cluster;
}

bool AdmissionRule::matches_resource(std::string_view resource,
                                     std::string_view subresource) const {
  return std::ranges::any_of(parts_, [&](const Part& part) {
    return (part.resource == "*" || part.resource == resource) &&
           (part.subresource == "*" || part.subresource == subresource);
  });
}

}  // namespace proa::apiserver
