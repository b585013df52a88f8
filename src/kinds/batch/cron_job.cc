#include "kinds/batch/cron_job.h"

#include "api/validation/metadata.h"
#include "base/files.h"
#include "base/strings.h"
#include "kinds/batch/job_spec.h"
#include "kinds/batch/schedule.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"

namespace proa::kinds {

namespace cron_job {

// The name of a Job is that of its CronJob plus eleven characters.
constexpr size_t kMaxNameBytes = 52;
constexpr size_t kMaxZonePartBytes = 14;

void validate_schedule(View schedule, const api::Path& path, api::FieldErrors& errors) {
  if (schedule.text().empty()) {
    errors.required(path);
    return;
  }
  const auto parsed = Schedule::parse(schedule.text());
  if (!parsed.ok()) errors.invalid(path, schedule, parsed.status().message());
  if (schedule.text().find("TZ") != std::string_view::npos) {
    errors.invalid(path, schedule,
                   "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  }
}

bool may_name_zone(std::string_view part) {
  constexpr std::string_view kCharacters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_+";
  return !part.empty() && part.size() <= kMaxZonePartBytes && part != "." && part != ".." &&
         part.front() != '-' && part.find_first_not_of(kCharacters) == std::string_view::npos;
}

void validate_time_zone(View zone, api::FieldErrors& errors) {
  if (!zone.exists()) return;
  const api::Path path("spec.timeZone");
  const std::string_view name = zone.text();
  if (name.empty()) {
    errors.invalid(path, zone, "timeZone must be nil or non-empty string");
    return;
  }
  for (const std::string_view part : split(name, '/')) {
    if (may_name_zone(part)) continue;
    errors.invalid(path, zone, "unknown time zone " + std::string(name));
    return;
  }
  if (equals_ignoring_case(name, "Local")) {
    errors.invalid(path, zone,
                   "timeZone must be an explicit time zone as defined in "
                   "https://www.iana.org/time-zones");
    if (name == "Local") return;
  }
  SystemFiles files;
  const auto found = TimeZone::load(name, files);
  if (!found.ok()) errors.invalid(path, zone, found.status().message());
}

void validate_job_template(View job_template, const api::Path& path, api::FieldErrors& errors) {
  const api::Path spec_path = path.field("spec");
  const View spec = job_template["spec"];
  validate_job_spec(spec, spec_path, errors);
  if (spec["selector"].exists()) {
    errors.invalid(spec_path.field("selector"), spec["selector"],
                   "`selector` will be auto-generated");
  }
  if (spec["manualSelector"].flag())
    errors.not_supported(spec_path.field("manualSelector"), "true", {"nil", "false"});
}

constexpr std::string_view kPolicies[] = {"Allow", "Forbid", "Replace"};

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_schedule(spec["schedule"], path.field("schedule"), errors);
  api::validate_non_negative(spec["startingDeadlineSeconds"], path.field("startingDeadlineSeconds"),
                             errors);
  const std::string_view policy = spec["concurrencyPolicy"].text();
  if (policy.empty()) {
    errors.required(path.field("concurrencyPolicy"));
  } else {
    api::validate_enum(spec["concurrencyPolicy"], kPolicies, path.field("concurrencyPolicy"),
                       errors);
  }
  validate_job_template(spec["jobTemplate"], path.field("jobTemplate"), errors);
  for (const std::string_view limit : {"successfulJobsHistoryLimit", "failedJobsHistoryLimit"})
    api::validate_non_negative(spec[limit], path.field(limit), errors);
}

void validate_create(View object, api::FieldErrors& errors) {
  validate_time_zone(object["spec"]["timeZone"], errors);
  const View name = object["metadata"]["name"];
  if (name.text().size() > kMaxNameBytes)
    errors.invalid(api::Path("metadata.name"), name, "must be no more than 52 characters");
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  const View zone = object["spec"]["timeZone"];
  // A time zone that was removed from the system must not block other changes.
  if (!(zone == old["spec"]["timeZone"])) validate_time_zone(zone, errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (!old.exists()) warn_about_owner_name(object, warnings);
  const View before = old["spec"]["jobTemplate"]["spec"];
  warn_about_job_spec(object["spec"]["jobTemplate"]["spec"], before,
                      api::Path("spec.jobTemplate.spec"), warnings);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Schedule", .description = "When it runs, as cron writes it."},
    {.name = "Timezone", .description = "Whose clock that is."},
    {.name = "Suspend", .type = "boolean", .description = "Whether no more jobs are started."},
    {.name = "Active", .type = "integer", .description = "How many of its jobs run."},
    {.name = "Last Schedule", .description = "When it ran last."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
    {.name = "Selector", .priority = 1, .description = "Which pods are its jobs' own."},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View job_spec = spec["jobTemplate"]["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["schedule"].text());
  cells.text(spec["timeZone"].text("<none>"));
  const View suspend = spec["suspend"];
  cells.text(!suspend.exists() ? "<unset>" : suspend.flag() ? "True" : "False");
  cells.number(int64_t(object["status"]["active"].size()));
  const View last = object["status"]["lastScheduleTime"];
  if (last.exists()) {
    cells.age(last);
  } else {
    cells.text("<none>");
  }
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(job_spec["template"]["spec"], cells);
  cells.text(selector_cell(job_spec["selector"]));
}

}  // namespace cron_job

KindRules cron_job_rules() {
  return {
      .kind = "batch/v1/CronJob",
      .metadata = {.status = ""},
      .validate = cron_job::validate,
      .validate_create = cron_job::validate_create,
      .validate_update = cron_job::validate_update,
      .warn = cron_job::warn,
      .columns = cron_job::kColumns,
      .row = cron_job::row,
  };
}

}  // namespace proa::kinds
