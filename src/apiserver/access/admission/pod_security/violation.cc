#include "apiserver/access/admission/pod_security/violation.h"

#include "base/strings.h"

namespace proa::apiserver::pod_security {

std::vector<api::View> PodShape::containers() const {
  std::vector<api::View> all;
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const api::View container : spec[list].items()) all.push_back(container);
  }
  return all;
}

std::string quoted_list(const Names& names) {
  return names.empty() ? "" : '"' + join(names, R"(", ")") + '"';
}

std::string quoted_list(const std::set<std::string>& names) {
  return quoted_list(Names(names.begin(), names.end()));
}

std::string joined(const std::set<std::string>& names, std::string_view separator) {
  return join(Names(names.begin(), names.end()), separator);
}

std::string_view plural(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

std::string containers_text(const Names& names) {
  return std::string(plural(names.size(), "container", "containers")) + " " + quoted_list(names);
}

std::string name_of(api::View container) { return std::string(container["name"].text()); }

std::string Setters::text() const {
  if (containers.empty()) return "pod";
  return (pod ? "pod and " : "") + containers_text(containers);
}

std::string details_of(const std::vector<Violation>& violations) {
  // Each detail may name every container of the pod.
  constexpr size_t kMaxBytes = size_t{64} << 10;
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += ", ";
    text += violation.reason;
    if (!violation.detail.empty()) text += " (" + violation.detail + ")";
    if (text.size() <= kMaxBytes) continue;
    text.resize(kMaxBytes);
    return text + "...";
  }
  return text;
}

std::string reasons_of(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    if (!text.empty()) text += ", ";
    text += violation.reason;
  }
  return text;
}

}  // namespace proa::apiserver::pod_security
