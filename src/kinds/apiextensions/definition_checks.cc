#include "kinds/apiextensions/definition_checks.h"

#include <algorithm>
#include <map>
#include <optional>

#include "kinds/apiextensions/openapi_schema.h"
#include "kinds/apiextensions/schema_search.h"
#include "kinds/apiextensions/structural_schema.h"
#include "kinds/apiextensions/versions.h"
#include "kinds/checks/webhook_client.h"

namespace proa::kinds::crd {

namespace definition_checks {

bool has_schema(const json::Value& version) {
  return View(version)["schema"]["openAPIV3Schema"].exists();
}

bool is_structural(const json::Value& version) {
  const View schema = View(version)["schema"]["openAPIV3Schema"];
  if (!schema) return true;
  if (!structural_failure(schema).empty()) return false;
  api::FieldErrors errors;
  validate_structural(schema, api::Path(), errors);
  return errors.size() == 0;
}

bool knows_review_version(View versions) {
  const auto items = versions.items();
  return items.empty() || std::any_of(items.begin(), items.end(), [](const json::Value& item) {
           return View(item).text() == "v1" || View(item).text() == "v1beta1";
         });
}

bool must_have_valid_ca_bundle(View old) {
  if (!is_established(old)) return false;
  const View bundle = old["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"];
  return bundle.text().empty() || ca_bundle_problem(bundle.text()).empty();
}

// Upstream's GetSchemaForVersion: what all versions share, whatever the name; otherwise the schema
// of the first version of that name.
class Schemas {
 public:
  explicit Schemas(View versions)
      : shared_(is_shared(versions, "schema")), first_(versions.item(0)["schema"]) {
    for (const View version : versions.items())
      by_name_.try_emplace(version["name"].text(), version["schema"]);
  }

  // Nullopt if there is none.
  std::optional<View> find(std::string_view name) const {
    if (shared_) return first_;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional<View>(found->second);
  }

 private:
  const bool shared_;
  const View first_;
  std::map<std::string_view, View> by_name_;
};

void compare_versions(View versions, View old_versions, DefinitionChecks& checks) {
  constexpr std::string_view kSelectable = "selectableFields";
  const auto too_many = [&](View version) {
    return version[kSelectable].size() > kMaxSelectableFields;
  };
  const bool shared = is_shared(versions, kSelectable);
  const bool shared_before = is_shared(old_versions, kSelectable);
  const View first = versions.item(0);
  const View first_before = old_versions.item(0);
  if (shared && shared_before && too_many(first_before) &&
      first[kSelectable] == first_before[kSelectable]) {
    checks.tolerated_selectable.insert("");
  }
  std::map<std::string_view, View> before;
  for (const View version : old_versions.items()) before[version["name"].text()] = version;
  const Schemas schemas(versions);
  const Schemas schemas_before(old_versions);
  for (const View version : versions.items()) {
    const std::string_view name = version["name"].text();
    const std::optional<View> stored = schemas_before.find(name);
    if (stored && schemas.find(name) == stored) checks.unchanged_schemas.insert(name);
    const auto found = before.find(name);
    if (found == before.end()) continue;
    if (!shared && !shared_before && too_many(found->second) &&
        version[kSelectable] == found->second[kSelectable]) {
      checks.tolerated_selectable.insert(name);
    }
  }
}

}  // namespace definition_checks

DefinitionChecks checks_of_update(View object, View old) {
  using namespace definition_checks;
  const View spec = old["spec"];
  const auto versions = spec["versions"].items();
  DefinitionChecks checks;
  checks.most_versions = std::max(kMaxVersions, versions.size());
  checks.schemas_required = std::all_of(versions.begin(), versions.end(), has_schema);
  checks.structural_schemas = std::all_of(versions.begin(), versions.end(), is_structural);
  checks.known_types = !any_schema_of(spec, has_unknown_type);
  checks.atomic_sets = !any_schema_of(spec, has_divisible_set);
  checks.sound_map_keys = !any_schema_of(spec, has_optional_keys);
  checks.known_review_version =
      knows_review_version(spec["conversion"]["webhook"]["conversionReviewVersions"]);
  checks.valid_ca_bundle = must_have_valid_ca_bundle(old);
  compare_versions(object["spec"]["versions"], spec["versions"], checks);
  return checks;
}

bool is_established(View object) {
  for (const View condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == "Established") return condition["status"].text() == "True";
  }
  return false;
}

bool is_shared(View versions, std::string_view part) {
  const auto items = versions.items();
  return std::all_of(items.begin(), items.end(), [&](const json::Value& version) {
    return View(version)[part] == versions.item(0)[part];
  });
}

}  // namespace proa::kinds::crd
