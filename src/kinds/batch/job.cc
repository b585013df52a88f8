#include "kinds/batch/job.h"

#include <fmt/format.h>

#include <limits>

#include "api/validation/metadata.h"
#include "base/time.h"
#include "kinds/batch/job_spec.h"
#include "kinds/batch/job_status.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace job {

constexpr std::string_view kNameLabels[] = {"job-name", "batch.kubernetes.io/job-name"};
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kUidLabels[] = {"controller-uid", kUidLabel};

// Sets a selector that is unique to the job, and the labels that it matches. Existing labels with
// these names are left to validation.
void prepare_create(api::Edit object, const Writer& /*writer*/) {
  const api::Edit spec = object.object("spec");
  if (spec["manualSelector"].flag()) return;
  const std::string name(object["metadata"]["name"].text());
  const std::string uid(object["metadata"]["uid"].text());
  const api::Edit labels = spec.object("template").object("metadata").object("labels");
  for (const std::string_view label : kNameLabels) labels.set_default(label, name);
  for (const std::string_view label : kUidLabels) labels.set_default(label, uid);
  spec.object("selector").object("matchLabels").set_default(kUidLabel, uid);
}

void validate_label(View job, std::string_view label, View expected, api::FieldErrors& errors) {
  const api::Path path("spec.template.metadata.labels");
  const View labels = job["spec"]["template"]["metadata"]["labels"];
  const std::string detail = fmt::format("must be '{}'", expected.text());
  if (!labels[label].exists()) {
    errors.required(path.key(label), detail);
  } else if (labels[label].text() != expected.text()) {
    errors.invalid(path.key(label), labels, detail);
  }
}

void validate_generated_selector(View job, api::FieldErrors& errors) {
  const View spec = job["spec"];
  if (spec["manualSelector"].flag() || !spec["selector"].exists()) return;
  const View uid = job["metadata"]["uid"];
  const View name = job["metadata"]["name"];
  if (uid.text().empty()) errors.required(api::Path("metadata.uid"));
  json::Document expected;
  expected.root() = json::Value::object();
  const api::Edit labels(expected);
  for (size_t i = 0; i < std::size(kUidLabels); ++i) {
    validate_label(job, kUidLabels[i], uid, errors);
    validate_label(job, kNameLabels[i], name, errors);
    labels.set(kUidLabels[i], uid.text());
    labels.set(kNameLabels[i], name.text());
  }
  if (selector_is_valid(spec["selector"]) && !selector_matches(spec["selector"], labels.view())) {
    errors.invalid(api::Path("spec.selector"), spec["selector"], "`selector` not auto-generated");
  }
}

// Pods of an indexed job are named after their index.
void validate_host_names(View job, api::FieldErrors& errors) {
  const int64_t completions = job["spec"]["completions"].integer();
  if (!is_indexed(job["spec"]) || completions <= 0) return;
  const View name = job["metadata"]["name"];
  const std::string last = fmt::format("{}-{}", name.text(), completions - 1);
  if (api::check_dns1123_label(last).empty()) return;
  errors.invalid(api::Path("metadata.name"), name,
                 "will not able to create pod with invalid DNS label: " + last);
}

void validate_spec(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View selector = spec["selector"];
  validate_job_spec(spec, path, errors);
  if (!selector.exists()) errors.required(path.field("selector"));
  api::validate_label_selector(selector, path.field("selector"), errors);
  if (selector_is_valid(selector))
    validate_template_labels(spec["template"], selector, path.field("template"), errors);
}

void validate(View object, api::FieldErrors& errors) {
  validate_generated_selector(object, errors);
  validate_spec(object, errors);
  validate_host_names(object, errors);
}

// Whether no pods run, so that the template may still change (upstream's
// shouldAllowMutablePodTemplate).
bool is_at_rest(View job) {
  const View status = job["status"];
  return job["spec"]["suspend"].flag() && status["active"].integer() == 0 &&
         (!status["startTime"].exists() || has_job_condition(status, "Suspended"));
}

// Copies the fields that may change in a suspended job: placement and resources of its pods.
void adopt_changes(api::Edit old, View changed) {
  const api::Edit spec = old.object("spec");
  const View wanted = changed["spec"];
  for (const std::string_view name : {"nodeSelector", "tolerations", "schedulingGates"})
    spec.copy(name, wanted[name]);
  for (const std::string_view name : {"labels", "annotations"})
    old.object("metadata").copy(name, changed["metadata"][name]);
  const View affinity = wanted["affinity"];
  if (affinity.exists()) {
    spec.object("affinity").copy("nodeAffinity", affinity["nodeAffinity"]);
  } else if (spec.has("affinity")) {
    spec.existing("affinity").remove("nodeAffinity");
    if (spec["affinity"].empty()) spec.remove("affinity");
  }
  for (const std::string_view list : {"containers", "initContainers"}) {
    const View containers = wanted[list];
    if (!spec.has(list) || containers.size() != spec[list].size()) continue;
    for (size_t i = 0; i < containers.size(); ++i) {
      const api::Edit container = spec.existing(list).item(i);
      if (container["name"] == containers.item(i)["name"])
        container.copy("resources", containers.item(i)["resources"]);
    }
  }
}

void validate_template_update(View object, View old, api::FieldErrors& errors) {
  const View changed = object["spec"]["template"];
  const View before = old["spec"]["template"];
  if (!is_at_rest(old)) {
    api::validate_immutable(changed, before, api::Path("spec.template"), errors);
    return;
  }
  if (changed == before || !before.exists()) return;
  json::Document allowed;
  allowed.root() = before.value()->copy(allowed.arena());
  adopt_changes(api::Edit(allowed), changed);
  api::validate_immutable(changed["spec"], View(allowed.root())["spec"],
                          api::Path("spec.template.spec"), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View before = old["spec"];
  const View completions = spec["completions"];
  if (!is_indexed(spec)) {
    api::validate_immutable(completions, before["completions"], path.field("completions"), errors);
  } else if (completions.exists() && !(completions == before["completions"]) &&
             !(completions == spec["parallelism"])) {
    errors.invalid(path.field("completions"), completions,
                   "can only be modified in tandem with spec.parallelism");
  }
  api::validate_immutable(spec["selector"], before["selector"], path.field("selector"), errors);
  validate_template_update(object, old, errors);
  for (const std::string_view name : {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                                      "managedBy", "successPolicy"}) {
    api::validate_immutable(spec[name], before[name], path.field(name), errors);
  }
}

void warn(View object, View old, Warnings& warnings) {
  if (!old.exists()) warn_about_owner_name(object, warnings);
  warn_about_job_spec(object["spec"], old["spec"], api::Path("spec"), warnings);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Status", .description = "How far it is."},
    {.name = "Completions", .description = "How many pods have succeeded, of how many must."},
    {.name = "Duration", .description = "How long it ran, or has run."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
    {.name = "Selector", .priority = 1, .description = "Which pods are its own."},
};

std::string_view status_text(View object) {
  const View status = object["status"];
  for (const std::string_view ended : {"Complete", "Failed"}) {
    if (has_job_condition(status, ended)) return ended;
  }
  if (object["metadata"]["deletionTimestamp"].exists()) return "Terminating";
  for (const std::string_view state : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (has_job_condition(status, state)) return state;
  }
  return "Running";
}

std::string completions_text(View object) {
  const int64_t succeeded = object["status"]["succeeded"].integer();
  const View completions = object["spec"]["completions"];
  if (completions.exists()) return fmt::format("{}/{}", succeeded, completions.integer());
  const int64_t parallelism = object["spec"]["parallelism"].integer();
  if (parallelism > 1) return fmt::format("{}/1 of {}", succeeded, parallelism);
  return fmt::format("{}/1", succeeded);
}

std::string duration_text(View status, Time now) {
  const auto started = parse_time(status["startTime"].text());
  if (!started.ok()) return "";
  const auto completed = parse_time(status["completionTime"].text());
  return human_duration((completed.ok() ? *completed : now) - *started);
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(status_text(object));
  cells.text(completions_text(object));
  cells.text(duration_text(object["status"], cells.now()));
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(object["spec"]["template"]["spec"], cells);
  cells.text(selector_cell(object["spec"]["selector"]));
}

// On Job, not on JobSpec: nothing is filled in inside the template of a CronJob.
void default_job(api::Edit job) {
  const api::Edit spec = job.object("spec");
  if (!spec.has("parallelism")) spec.set_default("completions", 1);
  spec.set_default("parallelism", 1);
  // With a back-off limit per index, there is no total limit.
  spec.set_default("backoffLimit",
                   spec.has("backoffLimitPerIndex") ? std::numeric_limits<int32_t>::max() : 6);
  spec.set_default("completionMode", "NonIndexed");
  spec.set_default("suspend", false);
  spec.set_default("podReplacementPolicy",
                   spec.has("podFailurePolicy") ? "Failed" : "TerminatingOrFailed");
  spec.set_default("manualSelector", false);
  const View template_labels = spec["template"]["metadata"]["labels"];
  if (template_labels.exists() && job["metadata"]["labels"].empty())
    job.object("metadata").copy("labels", template_labels);
}

constexpr TypeDefaults kDefaults[] = {{"batch/v1/Job", default_job}};

}  // namespace job

KindRules job_rules() {
  return {
      .kind = "batch/v1/Job",
      .metadata = {.update = "MU"},
      .defaults = job::kDefaults,
      .prepare_create = job::prepare_create,
      .validate = job::validate,
      .validate_update = job::validate_update,
      .validate_again = job::validate_spec,
      .validate_status_update = validate_job_status_update,
      .warn = job::warn,
      .columns = job::kColumns,
      .row = job::row,
  };
}

}  // namespace proa::kinds
