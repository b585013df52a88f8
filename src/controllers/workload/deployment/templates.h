#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controllers/workload/history/template_digest.h"

namespace proa::controllers::deployments {

// The label that distinguishes the pods of the Deployment's ReplicaSets. Ignored when templates are
// compared.
inline constexpr std::string_view kHashLabel = "pod-template-hash";

// The value of kHashLabel. The collision count changes it if the name is taken.
std::string template_hash(const TemplateDigest& digest, std::optional<int64_t> collision_count);

// Deterministic, so that a set is not created twice.
std::string set_name(std::string_view deployment, std::string_view hash);

}  // namespace proa::controllers::deployments
