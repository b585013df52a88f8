#include "kinds/apps/stateful_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/metadata.h"
#include "kinds/checks/int_or_percent.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"
#include "kinds/core/pods/pod_template.h"
#include "kinds/core/volumes/persistent_volume_claim.h"

namespace proa::kinds {

namespace stateful_set {

View max_unavailable(View object) {
  return object["spec"]["updateStrategy"]["rollingUpdate"]["maxUnavailable"];
}

// Behind gate MaxUnavailableStatefulSet, which is off.
void drop_max_unavailable(api::Edit object) {
  if (!max_unavailable(object.view()).exists()) return;
  object.object("spec").object("updateStrategy").object("rollingUpdate").remove("maxUnavailable");
}

void prepare_create(api::Edit object, const Writer& /*writer*/) { drop_max_unavailable(object); }

void prepare_update(api::Edit object, View old, const Writer& /*writer*/) {
  if (!max_unavailable(old).exists()) drop_max_unavailable(object);
}

void validate_strategy(View strategy, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = strategy["type"].text();
  const View rolling = strategy["rollingUpdate"];
  const api::Path rolling_path = path.field("rollingUpdate");
  if (type.empty()) {
    errors.required(path);
  } else if (type == "OnDelete") {
    if (rolling.exists()) {
      errors.invalid(rolling_path, rolling, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type != "RollingUpdate") {
    errors.invalid(path, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  } else {
    api::validate_non_negative(rolling["partition"], rolling_path.field("partition"), errors);
    const View unavailable = rolling["maxUnavailable"];
    if (!unavailable.exists()) return;
    const api::Path unavailable_path = rolling_path.field("maxUnavailable");
    validate_int_or_percent(unavailable, unavailable_path, errors);
    if (int_or_percent_number(unavailable) == 0)
      errors.invalid(unavailable_path, unavailable, "cannot be 0");
    validate_at_most_100_percent(unavailable, unavailable_path, errors);
  }
}

void validate_retention(View policy, const api::Path& path, api::FieldErrors& errors) {
  if (!policy.exists()) return;
  for (const std::string_view when : {"whenDeleted", "whenScaled"}) {
    const std::string_view what = policy[when].text();
    if (what != "Retain" && what != "Delete")
      errors.not_supported(path.field(when), what, {"Retain", "Delete"});
  }
}

// The controller sets the host name, the subdomain and the volumes of the claims of each pod, so
// the template is validated as if they were set.
void validate_template(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View pod_template = spec["template"];
  if (!pod_template.exists()) {
    validate_pod_template(pod_template, path, errors);
    return;
  }
  json::Document changed;
  changed.root() = pod_template.value()->copy(changed.arena());
  const api::Edit pod = api::Edit(changed).object("spec");
  pod.remove("hostname");
  pod.remove("subdomain");
  const auto claims = spec["volumeClaimTemplates"].items();
  if (!claims.empty()) {
    pod.remove("volumes");
    const api::Edit volumes = pod.array("volumes");
    std::set<std::string_view> names;
    for (const View claim : claims) {
      names.insert(claim["metadata"]["name"].text());
      const api::Edit volume = volumes.push_object();
      volume.set("name", claim["metadata"]["name"].text());
      volume.object("persistentVolumeClaim").set("claimName", claim["metadata"]["name"].text());
    }
    for (const View volume : pod_template["spec"]["volumes"].items()) {
      if (!names.contains(volume["name"].text()))
        volumes.push(volume.value()->copy(changed.arena()));
    }
  }
  validate_pod_template(changed.root(), path, errors);
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View management = spec["podManagementPolicy"];
  const api::Path management_path = path.field("podManagementPolicy");
  if (management.text().empty()) {
    errors.required(management_path);
  } else if (management.text() != "OrderedReady" && management.text() != "Parallel") {
    errors.invalid(management_path, management, "must be 'OrderedReady' or 'Parallel'");
  }
  validate_strategy(spec["updateStrategy"], path.field("updateStrategy"), errors);
  validate_retention(spec["persistentVolumeClaimRetentionPolicy"],
                     path.field("persistentVolumeClaimRetentionPolicy"), errors);
  api::validate_non_negative(spec["replicas"], path.field("replicas"), errors);
  api::validate_non_negative(spec["minReadySeconds"], path.field("minReadySeconds"), errors);
  api::validate_non_negative(spec["ordinals"]["start"], path.field("ordinals.start"), errors);

  const View selector = spec["selector"];
  const api::Path template_path = path.field("template");
  validate_required_selector(selector, "statefulset", path.field("selector"), errors);
  if (!selector_is_valid(selector)) {
    errors.invalid(path.field("selector"), selector, "");
  } else {
    validate_template_labels(spec["template"], selector, template_path, errors);
    validate_template(spec, template_path, errors);
  }
  validate_restarting_template(spec["template"], "StatefulSet", template_path, errors);
}

void validate_create(View object, api::FieldErrors& errors) {
  const api::Path claims_path("spec.volumeClaimTemplates");
  const View claims = object["spec"]["volumeClaimTemplates"];
  for (size_t i = 0; i < claims.size(); ++i) {
    const api::Path claim_path = claims_path.index(i);
    validate_claim_spec(claims.item(i)["spec"], claim_path.field("spec"), errors);
  }
  const std::string_view service = object["spec"]["serviceName"].text();
  if (service.empty()) return;
  errors.invalid_each(api::Path("spec.serviceName"), service, api::check_dns1123_label(service));
}

constexpr std::string_view kChangeable[] = {"replicas",
                                            "template",
                                            "updateStrategy",
                                            "minReadySeconds",
                                            "ordinals",
                                            "revisionHistoryLimit",
                                            "persistentVolumeClaimRetentionPolicy"};

bool has_forbidden_change(View spec, View old) {
  const auto differs = [&](const json::Member& member) {
    return std::find(std::begin(kChangeable), std::end(kChangeable), member.key) ==
               std::end(kChangeable) &&
           !(spec[member.key] == old[member.key]);
  };
  const auto now = spec.members();
  const auto before = old.members();
  return std::any_of(now.begin(), now.end(), differs) ||
         std::any_of(before.begin(), before.end(), differs);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  if (!has_forbidden_change(object["spec"], old["spec"])) return;
  errors.forbidden(api::Path("spec"),
                   "updates to statefulset spec for fields other than 'replicas', 'ordinals', "
                   "'template', 'updateStrategy', 'revisionHistoryLimit', "
                   "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
}

constexpr std::string_view kCounts[] = {
    "replicas",          "readyReplicas",      "currentReplicas", "updatedReplicas",
    "availableReplicas", "observedGeneration", "collisionCount"};
constexpr std::string_view kPartsOfReplicas[] = {"readyReplicas", "currentReplicas",
                                                 "updatedReplicas", "availableReplicas"};

void validate_status_update(View object, View old, api::FieldErrors& errors) {
  validate_replica_status(
      object, old, {.counts = kCounts, .parts = kPartsOfReplicas, .ready = "status.readyReplicas"},
      errors);
}

void warn(View object, View old, Warnings& warnings) {
  warn_about_template(object, old, warnings);
  const api::Path claims_path("spec.volumeClaimTemplates");
  const View claims = object["spec"]["volumeClaimTemplates"];
  for (size_t i = 0; i < claims.size(); ++i)
    warn_about_claim_spec(claims.item(i)["spec"], claims_path.index(i), warnings);
  if (object["spec"]["revisionHistoryLimit"].integer() < 0) {
    warnings.emplace_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= "
        "0 is recommended");
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Ready", .description = "How many pods are ready, of how many there should be."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(fmt::format("{}/{}", object["status"]["readyReplicas"].integer(),
                         spec["replicas"].integer()));
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(spec["template"]["spec"], cells);
}

void default_stateful_set_spec(api::Edit spec) {
  if (!spec.has("volumeClaimTemplates")) return;
  const api::Edit claims = spec.existing("volumeClaimTemplates");
  for (size_t i = 0; i < claims.size(); ++i) {
    claims.item(i).set("apiVersion", "v1");
    claims.item(i).set("kind", "PersistentVolumeClaim");
  }
}

void default_stateful_set_strategy(api::Edit strategy) {
  if (strategy["type"].text().empty()) {
    strategy.set("type", "RollingUpdate");
    strategy.object("rollingUpdate");
  }
  if (strategy["type"].text() == "RollingUpdate" && strategy.has("rollingUpdate"))
    strategy.existing("rollingUpdate").set_default("partition", 0);
}

constexpr TypeDefaults kDefaults[] = {
    {"apps/v1/StatefulSetSpec", default_stateful_set_spec},
    {"apps/v1/StatefulSetUpdateStrategy", default_stateful_set_strategy}};

}  // namespace stateful_set

KindRules stateful_set_rules() {
  return {
      .kind = "apps/v1/StatefulSet",
      .name = api::check_dns1123_label,
      .defaults = stateful_set::kDefaults,
      .prepare_create = stateful_set::prepare_create,
      .prepare_update = stateful_set::prepare_update,
      .validate = stateful_set::validate,
      .validate_create = stateful_set::validate_create,
      .validate_update = stateful_set::validate_update,
      .validate_status_update = stateful_set::validate_status_update,
      .warn = stateful_set::warn,
      .columns = stateful_set::kColumns,
      .row = stateful_set::row,
  };
}

}  // namespace proa::kinds
