#pragma once

#include <map>
#include <set>
#include <string_view>

#include "api/object/view.h"

namespace proa::kinds::pods {

// What checks of a part need to know about the whole pod. Views into the pod, which outlives it.
struct PodContext {
  api::View spec;
  // Of a pod; absent for a template, whose pods will have other names.
  api::View metadata;
  // Those without mistakes: mounts of others are reported as not found too, as upstream does.
  std::map<std::string_view, api::View> volumes;
  std::set<std::string_view> claims;

  // Some rules wait until a template has become a pod.
  bool is_pod() const { return metadata.exists(); }
  api::View grace_period() const { return spec["terminationGracePeriodSeconds"]; }
  std::string_view os() const { return spec["os"]["name"].text(); }
  bool host_users() const { return spec["hostUsers"].flag(true); }
};

}  // namespace proa::kinds::pods
