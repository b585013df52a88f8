#include "kinds/batch/job_spec.h"

#include <fmt/format.h>

#include "api/validation/metadata.h"
#include "kinds/batch/job_policies.h"
#include "kinds/core/pods/pod_owner.h"
#include "kinds/core/pods/pod_template.h"

namespace proa::kinds {

namespace job_spec {

// Bounds the length of status.completedIndexes and status.failedIndexes.
constexpr int64_t kMaxParallel = 100'000;
constexpr int64_t kMaxFailedIndexes = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kMaxParallelOfMany = 10'000;
constexpr int64_t kMaxFailedOfMany = 10'000;
constexpr size_t kMaxManagerBytes = 63;

void at_most(View value, int64_t most, const api::Path& path, api::FieldErrors& errors,
             std::string_view why = {}) {
  if (value.exists() && value.integer() > most)
    errors.invalid(path, value, fmt::format("must be less than or equal to {}{}", most, why));
}

void validate_indexed(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View completions = spec["completions"];
  const View parallelism = spec["parallelism"];
  const View failed = spec["maxFailedIndexes"];
  const api::Path failed_path = path.field("maxFailedIndexes");
  if (!completions.exists())
    errors.required(path.field("completions"), "when completion mode is Indexed");
  at_most(parallelism, kMaxParallel, path.field("parallelism"), errors,
          " when completion mode is Indexed");
  if (completions.exists() && failed.exists() && failed.integer() > completions.integer())
    errors.invalid(failed_path, failed, "must be less than or equal to completions");
  at_most(failed, kMaxFailedIndexes, failed_path, errors);
  if (completions.integer() <= kManyCompletions || !spec["backoffLimitPerIndex"].exists()) return;
  const std::string why = fmt::format(
      " when completions are above {} and used with backoff limit per index", kManyCompletions);
  if (!failed.exists()) {
    errors.required(failed_path, fmt::format("must be specified when completions is above {}",
                                             kManyCompletions));
  }
  at_most(parallelism, kMaxParallelOfMany, path.field("parallelism"), errors, why);
  at_most(failed, kMaxFailedOfMany, failed_path, errors, why);
}

void validate_completion_mode(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View mode = spec["completionMode"];
  if (mode.exists() && mode.text() != "NonIndexed" && mode.text() != "Indexed")
    errors.not_supported(path.field("completionMode"), mode.text(), {"NonIndexed", "Indexed"});
  if (is_indexed(spec)) {
    validate_indexed(spec, path, errors);
    return;
  }
  if (mode.exists() && mode.text() != "NonIndexed") return;
  for (const std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"}) {
    if (spec[name].exists())
      errors.invalid(path.field(name), spec[name], "requires indexed completion mode");
  }
}

void validate_manager(View manager, const api::Path& path, api::FieldErrors& errors) {
  if (!manager.exists()) return;
  if (manager.text().empty()) return errors.required(path);
  errors.invalid_each(path, manager.text(), api::check_domain_prefixed_path(manager.text()));
  if (manager.text().size() > kMaxManagerBytes) errors.too_long(path, kMaxManagerBytes);
}

void validate_replacement_policy(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View policy = spec["podReplacementPolicy"];
  if (!policy.exists() || policy.text() == "Failed") return;
  if (spec["podFailurePolicy"].exists()) {
    errors.not_supported(path, policy.text(), {"Failed"});
  } else if (policy.text() != "TerminatingOrFailed") {
    errors.not_supported(path, policy.text(), {"Failed", "TerminatingOrFailed"});
  }
}

void validate_restart_policy(View spec, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view policy = spec["template"]["spec"]["restartPolicy"].text();
  // "Always" is the default of pods.
  if (policy.empty() || policy == "Always") {
    errors.required(path, R"(valid values: "OnFailure", "Never")");
  } else if (policy != "OnFailure" && policy != "Never") {
    errors.not_supported(path, policy, {"OnFailure", "Never"});
  } else if (spec["podFailurePolicy"].exists() && policy != "Never") {
    errors.invalid(path, policy, R"(only "Never" is supported when podFailurePolicy is specified)");
  }
}

constexpr std::string_view kNumbers[] = {"parallelism",
                                         "completions",
                                         "activeDeadlineSeconds",
                                         "backoffLimit",
                                         "ttlSecondsAfterFinished",
                                         "backoffLimitPerIndex",
                                         "maxFailedIndexes"};

}  // namespace job_spec

bool is_indexed(View job_spec) { return job_spec["completionMode"].text() == "Indexed"; }

void validate_job_spec(View spec, const api::Path& path, api::FieldErrors& errors) {
  validate_counts(spec, job_spec::kNumbers, path, errors);
  if (spec["maxFailedIndexes"].exists() && !spec["backoffLimitPerIndex"].exists())
    errors.required(path.field("backoffLimitPerIndex"), "when maxFailedIndexes is specified");
  job_spec::validate_manager(spec["managedBy"], path.field("managedBy"), errors);
  job_spec::validate_completion_mode(spec, path, errors);
  if (spec["podFailurePolicy"].exists())
    validate_pod_failure_policy(spec, path.field("podFailurePolicy"), errors);
  if (spec["successPolicy"].exists()) {
    const api::Path policy_path = path.field("successPolicy");
    if (is_indexed(spec)) {
      validate_success_policy(spec, policy_path, errors);
    } else {
      errors.invalid(policy_path, spec["successPolicy"], "requires indexed completion mode");
    }
  }
  job_spec::validate_replacement_policy(spec, path.field("podReplacementPolicy"), errors);
  validate_pod_template(spec["template"], path.field("template"), errors);
  job_spec::validate_restart_policy(spec, path.field("template.spec.restartPolicy"), errors);
}

void warn_about_job_spec(View spec, View old, const api::Path& path, Warnings& warnings) {
  if (old.exists() && spec == old) return;
  if (is_indexed(spec) && spec["completions"].integer() > job_spec::kManyCompletions &&
      spec["parallelism"].integer() > job_spec::kMaxParallelOfMany) {
    warnings.push_back(path.str() +
                       ": In Indexed Jobs with a number of completions higher than 10^5 and a "
                       "parallelism higher than 10^4, Kubernetes might not be able to track "
                       "completedIndexes when a big number of indexes fail");
  }
  warn_about_pod_template(spec["template"], path.field("template"), warnings);
}

}  // namespace proa::kinds
