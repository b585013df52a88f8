#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/object/view.h"

// The input and output of checks, and helpers for their messages.

namespace proa::apiserver::pod_security {

// A pod or a pod template.
struct PodShape {
  api::View metadata;
  api::View spec;

  api::View security_context() const { return spec["securityContext"]; }
  // Only if the pod states its OS.
  bool is_windows() const { return spec["os"]["name"].text() == "windows"; }
  // In a user namespace, root has no privileges on the host.
  bool has_user_namespace() const { return !spec["hostUsers"].flag(true); }
  // Init containers, containers, ephemeral containers.
  std::vector<api::View> containers() const;
};

struct Violation {
  std::string reason;  // "hostPort": the same for all pods
  std::string detail;  // which containers, and values; may be empty

  bool operator==(const Violation&) const = default;
};

// Nullopt: no violation.
using Check = std::optional<Violation> (*)(const PodShape& pod);

using Names = std::vector<std::string>;

// `"a", "b"`
std::string quoted_list(const Names& names);
std::string quoted_list(const std::set<std::string>& names);
std::string joined(const std::set<std::string>& names, std::string_view separator);
std::string_view plural(size_t count, std::string_view one, std::string_view many);
// `container "a"`, `containers "a", "b"`
std::string containers_text(const Names& names);

std::string name_of(api::View container);

// The pod and containers with a forbidden setting.
struct Setters {
  bool pod = false;
  Names containers;

  bool empty() const { return !pod && containers.empty(); }
  // `pod and container "a"`
  std::string text() const;
};

// Applies `is_bad` to the security contexts of the pod and of each container, which may be absent.
template <typename IsBad>
Setters find_setters(const PodShape& pod, IsBad is_bad) {
  Setters setters;
  setters.pod = is_bad(pod.security_context());
  for (const api::View container : pod.containers()) {
    if (is_bad(container["securityContext"])) setters.containers.push_back(name_of(container));
  }
  return setters;
}

// `reason (detail), reason`
std::string details_of(const std::vector<Violation>& violations);
// `reason, reason`
std::string reasons_of(const std::vector<Violation>& violations);

}  // namespace proa::apiserver::pod_security
