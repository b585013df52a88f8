#include "kinds/apiextensions/custom_resource_definition.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/apiextensions/approval.h"
#include "kinds/apiextensions/definition_checks.h"
#include "kinds/apiextensions/names.h"
#include "kinds/apiextensions/openapi_schema.h"
#include "kinds/apiextensions/schema_search.h"
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
  const std::optional<std::string_view> version = crd::storage_version(object.view());
  if (!version || contains_text(object["status"]["storedVersions"], *version)) return;
  const api::Edit stored = object.object("status").array("storedVersions");
  stored.push(json::Value::string(stored.arena(), *version));
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

void validate_webhook(View webhook, const crd::DefinitionChecks& checks, const api::Path& path,
                      api::FieldErrors& errors) {
  // Field names of upstream's internal version.
  const api::Path client_path = path.field("webhookClientConfig");
  const View client = webhook["clientConfig"];
  if (!client) {
    errors.required(client_path, "required when strategy is set to Webhook");
  } else {
    validate_webhook_client(client, client_path, errors);
    if (checks.valid_ca_bundle) validate_ca_bundle(client, client_path, errors);
  }
  validate_review_versions(webhook["conversionReviewVersions"], "",
                           path.field("conversionReviewVersions"), errors,
                           checks.known_review_version);
}

void validate_conversion(View conversion, const crd::DefinitionChecks& checks,
                         const api::Path& path, api::FieldErrors& errors) {
  if (!conversion) return;
  require_one_of(conversion["strategy"], {"None", "Webhook"}, path.field("strategy"), errors);
  const View webhook = conversion["webhook"];
  if (conversion["strategy"].text() == "Webhook") {
    return validate_webhook(webhook, checks, path, errors);
  }
  constexpr std::string_view kNoWebhook = "should not be set when strategy is not set to Webhook";
  if (webhook["clientConfig"]) errors.forbidden(path.field("webhookClientConfig"), kNoWebhook);
  if (!webhook["conversionReviewVersions"].empty()) {
    errors.forbidden(path.field("conversionReviewVersions"), kNoWebhook);
  }
}

bool has_default(View schema) { return schema["default"].exists(); }

void validate_spec(View spec, const crd::DefinitionChecks& checks, const api::Path& path,
                   api::FieldErrors& errors) {
  validate_group(spec["group"].text(), path.field("group"), errors);
  require_one_of(spec["scope"], {"Cluster", "Namespaced"}, path.field("scope"), errors);
  const bool preserves = spec["preserveUnknownFields"].flag();
  if (preserves && crd::any_schema_of(spec, has_default)) {
    errors.invalid(path.field("preserveUnknownFields"), spec["preserveUnknownFields"],
                   "must be false in order to use defaults in the schema");
  }
  crd::validate_versions(spec, checks, path, errors);
  const api::Path names = path.field("names");
  for (const std::string_view name : {"plural", "singular", "kind", "listKind"}) {
    require_text(spec["names"], name, names, errors);
  }
  crd::validate_names(spec["names"], names, errors);
  const View strategy = spec["conversion"]["strategy"];
  const api::Path conversion = path.field("conversion");
  if (preserves && spec["conversion"] && strategy.text() != "None") {
    errors.invalid(conversion.field("strategy"), strategy.text(),
                   "must be None if spec.preserveUnknownFields is true");
  }
  validate_conversion(spec["conversion"], checks, conversion, errors);
}

void validate_stored_versions(View object, api::FieldErrors& errors) {
  const api::Path path("status.storedVersions");
  const View stored = object["status"]["storedVersions"];
  if (stored.empty()) return errors.invalid(path, stored, "must have at least one stored version");
  std::set<std::string_view> left;
  for (const View name : stored.items()) left.insert(name.text());
  std::set<std::string_view> versions;
  for (const View version : object["spec"]["versions"].items()) {
    const std::string_view name = version["name"].text();
    versions.insert(name);
    // A second version of the same name is missing, as upstream counts.
    if (left.erase(name) == 0 && version["storage"].flag()) {
      errors.invalid(path, stored, fmt::format("must have the storage version {}", name));
    }
  }
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

// Groups in the domains of Kubernetes need an annotation that says whether they are approved.
void validate_approval(View object, View old, api::FieldErrors& errors) {
  const crd::ApprovalState state = crd::approval_of(object);
  if (state.approval == crd::Approval::kNotNeeded) return;
  // Upstream compares the annotations only, even if the group was another one.
  if (old && crd::annotated_approval(old).approval == state.approval) return;
  const api::Path annotations("metadata.annotations");
  const api::Path path = annotations.key(crd::kApprovalAnnotation);
  if (state.approval == crd::Approval::kMissing) errors.required(path, state.message);
  if (state.approval != crd::Approval::kInvalid) return;
  errors.invalid(path, object["metadata"]["annotations"][crd::kApprovalAnnotation].text(),
                 state.message);
}

// `old`: absent for a new definition.
void validate(View object, View old, const crd::DefinitionChecks& checks,
              api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_spec(spec, checks, path, errors);
  const api::Path accepted("status.acceptedNames");
  crd::validate_names(object["status"]["acceptedNames"], accepted, errors);
  validate_stored_versions(object, errors);
  validate_approval(object, old, errors);
  if (spec["preserveUnknownFields"].flag() && !old["spec"]["preserveUnknownFields"].flag()) {
    errors.invalid(path.field("preserveUnknownFields"), spec["preserveUnknownFields"],
                   "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                   "spec.versions[*].schema instead");
  }
}

void validate_create(View object, api::FieldErrors& errors) {
  const std::string_view name = object["metadata"]["name"].text();
  const View spec = object["spec"];
  if (name != fmt::format("{}.{}", spec["names"]["plural"].text(), spec["group"].text())) {
    errors.invalid(api::Path("metadata.name"), name, "must be spec.names.plural+\".\"+spec.group");
  }
  validate(object, View(), {}, errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  validate(object, old, crd::checks_of_update(object, old), errors);
  const View spec = object["spec"];
  const View before = old["spec"];
  if (crd::is_established(old)) {
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
          .validate_create = custom_resource_definition::validate_create,
          .validate_update = custom_resource_definition::validate_update,
          .validate_status_update = custom_resource_definition::validate_status_update,
          .warn = custom_resource_definition::warn};
}

}  // namespace proa::kinds
