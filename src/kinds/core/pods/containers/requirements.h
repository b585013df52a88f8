#pragma once

#include <set>

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

enum class RequirementsOf : uint8_t { kContainer, kPod };

// {limits, requests, claims}. `claims` are those that the pod has.
void validate_requirements(View requirements, RequirementsOf whose,
                           const std::set<std::string_view>& claims, const Path& path,
                           FieldErrors& errors);

// The overhead of a pod: as the limits of a container.
void validate_overhead(View overhead, const Path& path, FieldErrors& errors);

// spec.resources, and how containers fit into them.
void validate_pod_level_resources(View spec, const std::set<std::string_view>& claims,
                                  const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
