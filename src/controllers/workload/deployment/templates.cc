#include "controllers/workload/deployment/templates.h"

#include "controllers/workload/history/revisions.h"

namespace proa::controllers::deployments {

std::string template_hash(const TemplateDigest& digest, std::optional<int64_t> collision_count) {
  const std::string bytes(digest.bytes.begin(), digest.bytes.end());
  return revision_hash(bytes, collision_count);
}

std::string set_name(std::string_view deployment, std::string_view hash) {
  constexpr size_t kLongestName = 253;
  const size_t most = kLongestName - 1 - hash.size();
  return std::string(deployment.substr(0, most)) + "-" + std::string(hash);
}

}  // namespace proa::controllers::deployments
