#pragma once

#include <map>
#include <set>
#include <string_view>

#include "api/object/view.h"

namespace proa::kinds::pods {

// What the validation of a part needs to know about the whole pod. Views into the pod, which must
// outlive this.
struct PodContext {
  api::View spec;
  // Absent for a pod template.
  api::View metadata;
  // The valid volumes only: as upstream, mounts of invalid ones are reported as not found.
  std::map<std::string_view, api::View> volumes;
  std::set<std::string_view> claims;

  // Some rules do not apply to templates.
  bool is_pod() const { return metadata.exists(); }
  api::View grace_period() const { return spec["terminationGracePeriodSeconds"]; }
  std::string_view os() const { return spec["os"]["name"].text(); }
  bool host_users() const { return spec["hostUsers"].flag(true); }
};

}  // namespace proa::kinds::pods
