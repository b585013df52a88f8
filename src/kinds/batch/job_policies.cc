#include "kinds/batch/job_policies.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/validation/metadata.h"
#include "kinds/batch/job_indexes.h"

namespace proa::kinds {

namespace job_policies {

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxConditions = 20;
constexpr size_t kMaxIndexesBytes = 64 * 1024;

constexpr std::string_view kActions[] = {"Count", "FailIndex", "FailJob", "Ignore"};
constexpr std::string_view kOperators[] = {"In", "NotIn"};
constexpr std::string_view kStatuses[] = {"False", "True", "Unknown"};

// A required text that is one of these.
void validate_choice(View value, std::span<const std::string_view> choices, const api::Path& path,
                     api::FieldErrors& errors) {
  if (value.text().empty()) {
    std::string all;
    for (const std::string_view choice : choices)
      all += fmt::format("{}\"{}\"", all.empty() ? "" : " ", choice);
    errors.required(path, fmt::format("valid values: [{}]", all));
  } else if (std::find(choices.begin(), choices.end(), value.text()) == choices.end()) {
    errors.not_supported(path, value.text(), choices);
  }
}

using Names = std::set<std::string_view>;

Names container_names(View pod_spec) {
  Names names;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const View container : pod_spec[list].items()) names.insert(container["name"].text());
  }
  return names;
}

void validate_exit_codes(View codes, const Names& containers, const api::Path& path,
                         api::FieldErrors& errors) {
  validate_choice(codes["operator"], kOperators, path.field("operator"), errors);
  const View container = codes["containerName"];
  if (container.exists() && !containers.contains(container.text())) {
    errors.invalid(path.field("containerName"), container,
                   "must be one of the container or initContainer names in the pod template");
  }
  const View values = codes["values"];
  const api::Path values_path = path.field("values");
  if (values.empty()) {
    errors.invalid(values_path, values, "at least one value is required");
  } else if (values.size() > kMaxExitCodes) {
    errors.too_many(values_path, values.size(), kMaxExitCodes);
  }
  bool ordered = true;
  std::set<int64_t> seen;
  for (size_t i = 0; i < values.size(); ++i) {
    const View value = values.item(i);
    if (codes["operator"].text() == "In" && value.integer() == 0)
      errors.invalid(values_path.index(i), value, "must not be 0 for the In operator");
    if (!seen.insert(value.integer()).second) errors.duplicate(values_path.index(i), value);
    if (i > 0 && values.item(i - 1).integer() > value.integer()) ordered = false;
  }
  if (!ordered) errors.invalid(values_path, values, "must be ordered");
}

void validate_conditions(View conditions, const api::Path& path, api::FieldErrors& errors) {
  if (conditions.size() > kMaxConditions) errors.too_many(path, conditions.size(), kMaxConditions);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const api::Path item_path = path.index(i);
    const View pattern = conditions.item(i);
    const std::string_view type = pattern["type"].text();
    errors.invalid_each(item_path.field("type"), type, api::check_qualified_name(type));
    validate_choice(pattern["status"], kStatuses, item_path.field("status"), errors);
  }
}

void validate_failure_rule(View rule, View job_spec, const Names& containers, const api::Path& path,
                           api::FieldErrors& errors) {
  const View action = rule["action"];
  validate_choice(action, kActions, path.field("action"), errors);
  if (action.text() == "FailIndex" && !job_spec["backoffLimitPerIndex"].exists()) {
    errors.invalid(path.field("action"), action, "requires the backoffLimitPerIndex to be set");
  }
  const View codes = rule["onExitCodes"];
  const View conditions = rule["onPodConditions"];
  if (codes.exists()) validate_exit_codes(codes, containers, path.field("onExitCodes"), errors);
  if (!conditions.empty()) validate_conditions(conditions, path.field("onPodConditions"), errors);
  if (codes.exists() && !conditions.empty()) {
    errors.invalid_whole(path, "specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!codes.exists() && conditions.empty()) {
    errors.invalid_whole(path, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

void validate_success_rule(View rule, int64_t completions, const api::Path& path,
                           api::FieldErrors& errors) {
  const View count = rule["succeededCount"];
  const View indexes = rule["succeededIndexes"];
  if (!count.exists() && !indexes.exists()) {
    errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  int64_t total = 0;
  if (indexes.exists()) {
    const api::Path indexes_path = path.field("succeededIndexes");
    if (indexes.text().size() > kMaxIndexesBytes) errors.too_long(indexes_path, kMaxIndexesBytes);
    const auto counted = count_indexes(indexes.text(), completions);
    if (counted.ok()) {
      total = *counted;
    } else {
      errors.invalid(indexes_path, indexes,
                     "error parsing succeededIndexes: " + counted.status().message());
    }
  }
  if (!count.exists()) return;
  const api::Path count_path = path.field("succeededCount");
  api::validate_non_negative(count, count_path, errors);
  if (count.integer() > completions) {
    errors.invalid(
        count_path, count,
        fmt::format("must be less than or equal to {} (the number of specified completions)",
                    completions));
  }
  if (indexes.exists() && count.integer() > total) {
    errors.invalid(count_path, count,
                   fmt::format("must be less than or equal to {} (the number of indexes in the "
                               "specified succeededIndexes field)",
                               total));
  }
}

}  // namespace job_policies

void validate_pod_failure_policy(View job_spec, const api::Path& path, api::FieldErrors& errors) {
  const api::Path rules_path = path.field("rules");
  const View rules = job_spec["podFailurePolicy"]["rules"];
  if (rules.size() > job_policies::kMaxRules)
    errors.too_many(rules_path, rules.size(), job_policies::kMaxRules);
  const job_policies::Names containers =
      job_policies::container_names(job_spec["template"]["spec"]);
  for (size_t i = 0; i < rules.size(); ++i) {
    job_policies::validate_failure_rule(rules.item(i), job_spec, containers, rules_path.index(i),
                                        errors);
  }
}

void validate_success_policy(View job_spec, const api::Path& path, api::FieldErrors& errors) {
  const api::Path rules_path = path.field("rules");
  const View rules = job_spec["successPolicy"]["rules"];
  if (rules.empty()) {
    errors.required(rules_path,
                    "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.size() > job_policies::kMaxRules)
    errors.too_many(rules_path, rules.size(), job_policies::kMaxRules);
  const int64_t completions = job_spec["completions"].integer();
  for (size_t i = 0; i < rules.size(); ++i)
    job_policies::validate_success_rule(rules.item(i), completions, rules_path.index(i), errors);
}

}  // namespace proa::kinds
