#include "kinds/core/placement/node_labels.h"

#include <fmt/format.h>

namespace proa::kinds {

namespace node_labels {

struct Deprecation {
  std::string_view label;
  std::string_view advice;
};

constexpr Deprecation kDeprecated[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

}  // namespace node_labels

std::string_view deprecated_node_label(std::string_view label) {
  for (const auto& deprecation : node_labels::kDeprecated) {
    if (deprecation.label == label) return deprecation.advice;
  }
  return {};
}

void warn_about_node_labels(View term, const api::Path& path, Warnings& warnings) {
  const api::Path expressions = path.field("matchExpressions");
  size_t index = 0;
  for (const View expression : term["matchExpressions"].items()) {
    const api::Path item = expressions.index(index++);
    const std::string_view key = expression["key"].text();
    const std::string_view advice = deprecated_node_label(key);
    if (advice.empty()) continue;
    warnings.emplace_back(fmt::format("{}: {} is {}", item.field("key").str(), key, advice));
  }
}

}  // namespace proa::kinds
