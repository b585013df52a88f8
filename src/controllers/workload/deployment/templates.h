#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/workload/history/template_digest.h"

namespace proa::controllers::deployments {

// The label that tells the pods of one ReplicaSet from those of the deployment's others. Templates
// that differ in nothing else are the same.
inline constexpr std::string_view kHashLabel = "pod-template-hash";

// The value of kHashLabel. A collision count gives another one for the same template: the first
// may be the name of something else.
std::string template_hash(const TemplateDigest& digest, std::optional<int64_t> collision_count);

// Always the same for the same template, so that it is not made twice.
std::string set_name(std::string_view deployment, std::string_view hash);

}  // namespace proa::controllers::deployments
