#include "controllers/workload/deployment/rollback.h"

#include <fmt/format.h>

#include "controllers/workload/deployment/history.h"
#include "controllers/workload/deployment/templates.h"

namespace proa::controllers::deployments {

void take_template_of(api::Edit deployment, api::View set) {
  const api::Edit spec = deployment.object("spec");
  spec.copy("template", set["spec"]["template"]);
  spec.object("template").object("metadata").object("labels").remove(kHashLabel);
  const api::Edit metadata = deployment.object("metadata");
  json::Value annotations = json::Value::object();
  const auto keep = [&](const json::Member& member) {
    annotations.set(metadata.arena(), member.key, member.value.copy(metadata.arena()));
  };
  for (const json::Member& member : metadata["annotations"].members()) {
    if (is_annotation_of_its_own(member.key)) keep(member);
  }
  for (const json::Member& member : set["metadata"]["annotations"].members()) {
    if (!is_annotation_of_its_own(member.key)) keep(member);
  }
  metadata.set("annotations", std::move(annotations));
}

void clear_rollback(api::Edit deployment) {
  deployment.object("metadata").object("annotations").remove(kRollbackTo);
}

Rollback plan_rollback(const DeploymentFacts& deployment, const Sets& sets, std::string_view name) {
  int64_t revision = *deployment.rollback_to;
  if (revision == 0) revision = revision_before_last(sets);
  if (revision == 0) {
    return {.reason = "DeploymentRollbackRevisionNotFound",
            .message = "Unable to find last revision."};
  }
  for (size_t i = 0; i < sets.all.size(); ++i) {
    if (sets.at(i).revision != revision) continue;
    if (sets.is_old(i)) {
      return {
          .set = i,
          .reason = "DeploymentRollback",
          .message = fmt::format("Rolled back deployment \"{}\" to revision {}", name, revision)};
    }
    return {
        .reason = "DeploymentRollbackTemplateUnchanged",
        .message = fmt::format(
            "The rollback revision contains the same template as current deployment \"{}\"", name)};
  }
  return {.reason = "DeploymentRollbackRevisionNotFound",
          .message = "Unable to find the revision to rollback to."};
}

}  // namespace proa::controllers::deployments
