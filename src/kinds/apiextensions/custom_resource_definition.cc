#include "kinds/apiextensions/custom_resource_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/apiextensions/approval.h"
#include "kinds/apiextensions/names.h"
#include "kinds/apiextensions/openapi_schema.h"
#include "kinds/apiextensions/versions.h"
#include "kinds/checks/fields.h"
#include "kinds/checks/webhook_client.h"

namespace proa::kinds {

namespace custom_resource_definition {

bool contains_text(View list, std::string_view text) {
  const auto items = list.items();
  return std::any_of(items.begin(), items.end(),
                     [&](const json::Value& item) { return View(item).text() == text; });
}

// Stored objects may have any version that was ever the storage version.
void remember_storage_version(api::Edit object) {
  const std::string_view version = crd::storage_version(object.view());
  if (version.empty() || contains_text(object["status"]["storedVersions"], version)) return;
  const api::Edit stored = object.object("status").array("storedVersions");
  stored.push(json::Value::string(stored.arena(), version));
}

void prepare_create(api::Edit object, const Writer&) { remember_storage_version(object); }
void prepare_update(api::Edit object, View, const Writer&) { remember_storage_version(object); }

api::Edit terminating_condition(api::Edit conditions) {
  for (size_t i = 0; i < conditions.size(); ++i) {
    if (conditions.item(i)["type"].text() == "Terminating") return conditions.item(i);
  }
  const api::Edit added = conditions.push_object();
  added.set("type", "Terminating");
  return added;
}

void validate_group(std::string_view group, const api::Path& path, api::FieldErrors& errors) {
  if (group.empty()) return errors.required(path);
  const api::Problems problems = api::check_dns1123_subdomain(group);
  if (!problems.empty()) {
    errors.invalid(path, group, join(problems, ","));
  } else if (group.find('.') == std::string_view::npos) {
    errors.invalid(path, group, "should be a domain with at least one dot");
  }
}

void validate_conversion(View conversion, const api::Path& path, api::FieldErrors& errors) {
  if (!conversion) return;
  require_one_of(conversion["strategy"], {"None", "Webhook"}, path.field("strategy"), errors);
  const View webhook = conversion["webhook"];
  // Field names of upstream's internal version.
  const api::Path client_path = path.field("webhookClientConfig");
  const api::Path versions_path = path.field("conversionReviewVersions");
  if (conversion["strategy"].text() == "Webhook") {
    if (!webhook["clientConfig"]) {
      errors.required(client_path, "required when strategy is set to Webhook");
    } else {
      validate_webhook_client(webhook["clientConfig"], client_path, errors);
    }
    validate_review_versions(webhook["conversionReviewVersions"], "", versions_path, errors);
    return;
  }
  constexpr std::string_view kNoWebhook = "should not be set when strategy is not set to Webhook";
  if (webhook["clientConfig"]) errors.forbidden(client_path, kNoWebhook);
  if (!webhook["conversionReviewVersions"].empty()) errors.forbidden(versions_path, kNoWebhook);
}

void validate_spec(View spec, const api::Path& path, api::FieldErrors& errors) {
  validate_group(spec["group"].text(), path.field("group"), errors);
  require_one_of(spec["scope"], {"Cluster", "Namespaced"}, path.field("scope"), errors);
  crd::validate_versions(spec, path, errors);
  const api::Path names = path.field("names");
  for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
    require_text(spec["names"], name, names, errors);
  }
  crd::validate_names(spec["names"], names, errors);
  validate_conversion(spec["conversion"], path.field("conversion"), errors);
}

void validate_stored_versions(View object, api::FieldErrors& errors) {
  const api::Path path("status.storedVersions");
  const View stored = object["status"]["storedVersions"];
  if (stored.empty()) return errors.invalid(path, stored, "must have at least one stored version");
  const std::string_view storage = crd::storage_version(object);
  if (!storage.empty() && !contains_text(stored, storage)) {
    errors.invalid(path, stored, fmt::format("must have the storage version {}", storage));
  }
  std::set<std::string_view> versions;
  for (const View version : object["spec"]["versions"].items())
    versions.insert(version["name"].text());
  each(stored, path, [&](View name, const api::Path& at) {
    if (versions.contains(name.text())) return;
    errors.invalid(at, name.text(),
                   fmt::format("missing from spec.versions; {0} was previously a storage version, "
                               "and must remain in spec.versions until a storage migration ensures "
                               "no data remains persisted in {0} and removes {0} from "
                               "status.storedVersions",
                               name.text()));
  });
}

void validate_approval(View object, api::FieldErrors& errors) {
  const crd::ApprovalState state = crd::approval_of(object);
  const api::Path annotations("metadata.annotations");
  const api::Path path = annotations.key(crd::kApprovalAnnotation);
  if (state.approval == crd::Approval::kMissing) errors.required(path, state.message);
  if (state.approval != crd::Approval::kInvalid) return;
  errors.invalid(path, object["metadata"]["annotations"][crd::kApprovalAnnotation].text(),
                 state.message);
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_spec(spec, path, errors);
  const api::Path accepted("status.acceptedNames");
  crd::validate_names(object["status"]["acceptedNames"], accepted, errors);
  validate_stored_versions(object, errors);
  validate_approval(object, errors);
  if (spec["preserveUnknownFields"].flag()) {
    errors.invalid(path.field("preserveUnknownFields"), spec["preserveUnknownFields"],
                   "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                   "spec.versions[*].schema instead");
  }
}

// Both are immutable once established.
void validate_create(View object, api::FieldErrors& errors) {
  const std::string_view name = object["metadata"]["name"].text();
  const View spec = object["spec"];
  if (name != fmt::format("{}.{}", spec["names"]["plural"].text(), spec["group"].text())) {
    errors.invalid(api::Path("metadata.name"), name, "must be spec.names.plural+\".\"+spec.group");
  }
}

bool is_established(View object) {
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == "Established") return condition["status"].text() == "True";
  }
  return false;
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  const View spec = object["spec"];
  const View before = old["spec"];
  if (is_established(old)) {
    api::validate_immutable(spec["scope"], before["scope"], api::Path("spec.scope"), errors);
    api::validate_immutable(spec["names"]["kind"], before["names"]["kind"],
                            api::Path("spec.names.kind"), errors);
  }
  api::validate_immutable(spec["group"], before["group"], api::Path("spec.group"), errors);
  api::validate_immutable(spec["names"]["plural"], before["names"]["plural"],
                          api::Path("spec.names.plural"), errors);
}

void validate_status_update(View object, View, api::FieldErrors& errors) {
  const api::Path path("status.acceptedNames");
  crd::validate_names(object["status"]["acceptedNames"], path, errors);
}

std::vector<std::string> unknown_formats(View object) {
  std::vector<std::string> found;
  const View versions = object["spec"]["versions"];
  for (size_t i = 0; i < versions.size(); ++i) {
    const View schema = versions.item(i)["schema"];
    // A schema that several versions share counts once.
    if (i > 0 && schema == versions.item(0)["schema"]) continue;
    crd::find_unknown_formats(schema["openAPIV3Schema"], found);
  }
  return found;
}

void warn(View object, View old, Warnings& warnings) {
  const std::vector<std::string> known = unknown_formats(old);
  const std::set<std::string_view> before(known.begin(), known.end());
  for (const std::string& format : unknown_formats(object)) {
    if (before.contains(format)) continue;
    warnings.push_back(fmt::format("unrecognized format \"{}\"", format));
  }
}

void default_custom_resource_definition(api::Edit object) {
  if (object["status"]["storedVersions"].empty()) {
    custom_resource_definition::remember_storage_version(object);
  }
}

void default_custom_resource_definition_spec(api::Edit spec) {
  if (!spec["names"]) return;
  const api::Edit names = spec.existing("names");
  const std::string kind(names["kind"].text());
  if (names["singular"].text().empty()) names.set("singular", to_lower(kind));
  if (names["listKind"].text().empty() && !kind.empty()) names.set("listKind", kind + "List");
}

constexpr TypeDefaults kDefaults[] = {
    {"apiextensions.k8s.io/v1/CustomResourceDefinition", default_custom_resource_definition},
    {"apiextensions.k8s.io/v1/CustomResourceDefinitionSpec",
     default_custom_resource_definition_spec}};

}  // namespace custom_resource_definition

void prepare_definition_deletion(api::Edit object, Time now) {
  namespace own = custom_resource_definition;
  const api::Edit finalizers = object.object("metadata").array("finalizers");
  if (!own::contains_text(finalizers.view(), kDefinitionFinalizer)) {
    finalizers.push(json::Value::borrowed(kDefinitionFinalizer));
  }
  const api::Edit condition =
      own::terminating_condition(object.object("status").array("conditions"));
  if (condition["status"].text() != "True") condition.set("lastTransitionTime", format_time(now));
  condition.set("status", "True");
  condition.set("reason", "InstanceDeletionPending");
  condition.set("message",
                "CustomResourceDefinition marked for deletion; CustomResource deletion will begin "
                "soon");
}

KindRules custom_resource_definition_rules() {
  return {.kind = "apiextensions.k8s.io/v1/CustomResourceDefinition",
          .metadata = {.create = "m", .update = "u", .status = "u"},
          .defaults = custom_resource_definition::kDefaults,
          .prepare_create = custom_resource_definition::prepare_create,
          .prepare_update = custom_resource_definition::prepare_update,
          .validate = custom_resource_definition::validate,
          .validate_create = custom_resource_definition::validate_create,
          .validate_update = custom_resource_definition::validate_update,
          .validate_status_update = custom_resource_definition::validate_status_update,
          .warn = custom_resource_definition::warn};
}

}  // namespace proa::kinds
