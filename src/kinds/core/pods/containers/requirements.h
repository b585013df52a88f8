#pragma once

#include <set>

#include "kinds/checks/fields.h"

namespace proa::kinds::pods {

enum class RequirementsOf : uint8_t { kContainer, kPod };

// ResourceRequirements: {limits, requests, claims}. `claims` are the names in spec.resourceClaims.
void validate_requirements(View requirements, RequirementsOf whose,
                           const std::set<std::string_view>& claims, const Path& path,
                           FieldErrors& errors);

// The overhead of a pod; the same rules as for limits of a container.
void validate_overhead(View overhead, const Path& path, FieldErrors& errors);

// spec.resources, and whether the containers' resources fit into them.
void validate_pod_level_resources(View spec, const std::set<std::string_view>& claims,
                                  const Path& path, FieldErrors& errors);

}  // namespace proa::kinds::pods
