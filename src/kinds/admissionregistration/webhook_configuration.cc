#include "kinds/admissionregistration/webhook_configuration.h"

#include <set>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/admissionregistration/admission_match.h"
#include "kinds/checks/fields.h"
#include "kinds/checks/webhook_client.h"

namespace proa::kinds {

namespace webhook_configuration {

constexpr int64_t kMaxTimeoutSeconds = 30;

void validate_name(std::string_view name, const api::Path& path, api::FieldErrors& errors) {
  if (name.empty()) return errors.required(path);
  const api::Problems problems = api::check_dns1123_subdomain(name);
  if (!problems.empty()) {
    errors.invalid(path, name, join(problems, ","));
  } else if (split(name, '.').size() < 3) {
    errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
  }
}

void validate_policies(View hook, const api::Path& path, api::FieldErrors& errors) {
  check_one_of(hook["failurePolicy"], {"Fail", "Ignore"}, path.field("failurePolicy"), errors);
  check_one_of(hook["matchPolicy"], {"Equivalent", "Exact"}, path.field("matchPolicy"), errors);
  const api::Path effects_path = path.field("sideEffects");
  if (!hook["sideEffects"]) {
    errors.required(effects_path, "must specify one of None, NoneOnDryRun");
  }
  check_one_of(hook["sideEffects"], {"None", "NoneOnDryRun"}, effects_path, errors);
  const int64_t timeout = hook["timeoutSeconds"].integer(1);
  if (timeout < 1 || timeout > kMaxTimeoutSeconds) {
    errors.invalid(path.field("timeoutSeconds"), timeout,
                   "the timeout value must be between 1 and 30 seconds");
  }
}

enum class Conditions : uint8_t { kChecked, kUnchanged };

void validate_webhook(View hook, Conditions conditions, const api::Path& path,
                      api::FieldErrors& errors) {
  validate_name(hook["name"].text(), path.field("name"), errors);
  const api::Path rules_path = path.field("rules");
  each(hook["rules"], rules_path,
       [&](View rule, const api::Path& at) { validate_admission_rule(rule, at, errors); });
  validate_policies(hook, path, errors);
  for (const std::string_view name : {"namespaceSelector", "objectSelector"}) {
    if (hook[name]) api::validate_label_selector(hook[name], path.field(name), errors);
  }
  // For mutating webhooks.
  check_one_of(hook["reinvocationPolicy"], {"IfNeeded", "Never"}, path.field("reinvocationPolicy"),
               errors);
  validate_webhook_client(hook["clientConfig"], path.field("clientConfig"), errors);
  if (conditions == Conditions::kChecked) {
    validate_match_conditions(hook["matchConditions"], path.field("matchConditions"), errors);
  }
  validate_review_versions(hook["admissionReviewVersions"], "must specify one of v1, v1beta1",
                           path.field("admissionReviewVersions"), errors);
}

void validate(View object, Conditions conditions, api::FieldErrors& errors) {
  const api::Path path("webhooks");
  std::set<std::string_view> names;
  each(object["webhooks"], path, [&](View hook, const api::Path& at) {
    validate_webhook(hook, conditions, at, errors);
    const std::string_view name = hook["name"].text();
    if (!name.empty() && !names.insert(name).second) errors.duplicate(at.field("name"), name);
  });
}

void validate_create(View object, api::FieldErrors& errors) {
  validate(object, Conditions::kChecked, errors);
}

// Conditions that were accepted before need not be corrected.
void validate_update(View object, View old, api::FieldErrors& errors) {
  const View hooks = object["webhooks"];
  bool same = hooks.size() == old["webhooks"].size();
  for (size_t i = 0; same && i < hooks.size(); ++i) {
    same = hooks.item(i)["matchConditions"] == old["webhooks"].item(i)["matchConditions"];
  }
  validate(object, same ? Conditions::kUnchanged : Conditions::kChecked, errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Webhooks", .type = "integer", .description = "How many webhooks there are."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.number(static_cast<int64_t>(object["webhooks"].size()));
  cells.age(object["metadata"]["creationTimestamp"]);
}

KindRules rules(std::string_view kind) {
  return {.kind = kind,
          .metadata = {.create = "m", .update = "m"},
          .validate_create = validate_create,
          .validate_update = validate_update,
          .columns = kColumns,
          .row = row};
}

}  // namespace webhook_configuration

KindRules mutating_webhook_configuration_rules() {
  return webhook_configuration::rules(
      "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration");
}

KindRules validating_webhook_configuration_rules() {
  return webhook_configuration::rules(
      "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration");
}

}  // namespace proa::kinds
