#include "kinds/apps/daemon_set.h"

#include <algorithm>
#include <string>

#include "api/validation/metadata.h"
#include "base/strings.h"
#include "kinds/checks/int_or_percent.h"
#include "kinds/checks/label_selector.h"
#include "kinds/core/pods/pod_owner.h"
#include "kinds/core/pods/pod_template.h"
#include "kinds/printing/texts.h"

namespace proa::kinds {

namespace daemon_set {

// The number of changes of the template. A field of the spec before apps/v1; maintained by the
// server.
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

View template_generation(View object) {
  return object["metadata"]["annotations"][kTemplateGeneration];
}

void set_template_generation(api::Edit object, int64_t generation) {
  object.object("metadata")
      .object("annotations")
      .set(kTemplateGeneration, std::to_string(generation));
}

void prepare_create(api::Edit object, const Writer& /*writer*/) {
  const View given = template_generation(object.view());
  const auto number = parse_int(given.text("0"));
  if (number) set_template_generation(object, std::max<int64_t>(*number, 1));
}

void prepare_status_update(api::Edit object, View old, const Writer& /*writer*/) {
  set_template_generation(object, parse_int(template_generation(old).text()).value_or(0));
}

void prepare_update(api::Edit object, View old, const Writer& /*writer*/) {
  // What is no number is left for validation.
  const View given = template_generation(object.view());
  if (given.exists() && !parse_int(given.text())) return;
  const bool changed = !(object["spec"]["template"] == old["spec"]["template"]);
  const int64_t before = parse_int(template_generation(old).text()).value_or(0);
  set_template_generation(object, before + (changed ? 1 : 0));
}

void validate_strategy(View strategy, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = strategy["type"].text();
  if (type == "OnDelete") return;
  if (type != "RollingUpdate") {
    errors.not_supported(path, type, {"RollingUpdate", "OnDelete"});
    return;
  }
  const View rolling = strategy["rollingUpdate"];
  const api::Path rolling_path = path.field("rollingUpdate");
  if (!rolling.exists()) {
    errors.required(rolling_path);
    return;
  }
  const View unavailable = rolling["maxUnavailable"];
  const View surge = rolling["maxSurge"];
  const api::Path unavailable_path = rolling_path.field("maxUnavailable");
  const api::Path surge_path = rolling_path.field("maxSurge");
  validate_int_or_percent(unavailable, unavailable_path, errors);
  validate_int_or_percent(surge, surge_path, errors);
  validate_at_most_100_percent(unavailable, unavailable_path, errors);
  validate_at_most_100_percent(surge, surge_path, errors);
  const bool has_unavailable = int_or_percent_number(unavailable) != 0;
  const bool has_surge = int_or_percent_number(surge) != 0;
  if (has_unavailable && has_surge) {
    errors.invalid(surge_path, surge, "may not be set when maxUnavailable is non-zero");
  } else if (!has_unavailable && !has_surge) {
    errors.required(unavailable_path, "cannot be 0 when maxSurge is 0");
  }
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View selector = spec["selector"];
  const api::Path selector_path = path.field("selector");
  const api::Path template_path = path.field("template");
  api::validate_label_selector(selector, selector_path, errors);
  if (selector_is_valid(selector))
    validate_template_labels(spec["template"], selector, template_path, errors);
  if (selector_is_empty(selector))
    errors.invalid(selector_path, selector, "empty selector is invalid for daemonset");
  validate_pod_template(spec["template"], template_path, errors);
  validate_restarting_template(spec["template"], "DaemonSet", template_path, errors);
  api::validate_non_negative(spec["minReadySeconds"], path.field("minReadySeconds"), errors);
  const View generation = template_generation(object);
  if (generation.exists() && !parse_int(generation.text())) {
    const api::Path annotations("metadata.annotations");
    errors.invalid(annotations.key(kTemplateGeneration), generation, "must be an integer");
  }
  validate_strategy(spec["updateStrategy"], path.field("updateStrategy"), errors);
  api::validate_non_negative(spec["revisionHistoryLimit"], path.field("revisionHistoryLimit"),
                             errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["spec"]["selector"], old["spec"]["selector"],
                          api::Path("spec.selector"), errors);
}

constexpr std::string_view kCounts[] = {"currentNumberScheduled", "numberMisscheduled",
                                        "desiredNumberScheduled", "numberReady",
                                        "observedGeneration",     "updatedNumberScheduled",
                                        "numberAvailable",        "numberUnavailable",
                                        "collisionCount"};

void validate_status_update(View object, View old, api::FieldErrors& errors) {
  const api::Path path("status");
  validate_counts(object["status"], kCounts, path, errors);
  validate_collision_count(object["status"], old["status"], path, errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (old.exists() && object["spec"]["template"] == old["spec"]["template"]) return;
  warn_about_template(object, old, warnings);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Desired", .type = "integer", .description = "How many nodes should run it."},
    {.name = "Current", .type = "integer", .description = "How many nodes run it that should."},
    {.name = "Ready", .type = "integer", .description = "On how many it is ready."},
    {.name = "Up-to-date", .type = "integer", .description = "On how many it is the newest."},
    {.name = "Available", .type = "integer", .description = "On how many it serves."},
    {.name = "Node Selector", .description = "Labels of the nodes that run it."},
    {.name = "Age"},
    {.name = "Containers", .priority = 1, .description = "Names of the template's containers."},
    {.name = "Images", .priority = 1, .description = "Images of the template's containers."},
    {.name = "Selector", .priority = 1, .description = "Which pods are its own."},
};

void row(View object, Cells& cells) {
  const View pod_spec = object["spec"]["template"]["spec"];
  const View status = object["status"];
  cells.text(object["metadata"]["name"].text());
  for (const std::string_view count :
       {"desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled",
        "numberAvailable"}) {
    cells.number(status[count].integer());
  }
  cells.text(format_labels(pod_spec["nodeSelector"]));
  cells.age(object["metadata"]["creationTimestamp"]);
  container_cells(pod_spec, cells);
  cells.text(selector_cell(object["spec"]["selector"]));
}

void default_daemon_set_strategy(api::Edit strategy) {
  if (strategy["type"].text() != "RollingUpdate") {
    if (!strategy["rollingUpdate"]) return;
    // Upstream's internal type has no pointers here.
    const api::Edit unused = strategy.existing("rollingUpdate");
    unused.set_default("maxUnavailable", 0);
    unused.set_default("maxSurge", 0);
    return;
  }
  const api::Edit rolling = strategy.object("rollingUpdate");
  rolling.set_default("maxUnavailable", 1);
  rolling.set_default("maxSurge", 0);
}

constexpr TypeDefaults kDefaults[] = {
    {"apps/v1/DaemonSetUpdateStrategy", default_daemon_set_strategy}};

}  // namespace daemon_set

KindRules daemon_set_rules() {
  return {
      .kind = "apps/v1/DaemonSet",
      .defaults = daemon_set::kDefaults,
      .prepare_create = daemon_set::prepare_create,
      .prepare_update = daemon_set::prepare_update,
      .prepare_status_update = daemon_set::prepare_status_update,
      .validate = daemon_set::validate,
      .validate_update = daemon_set::validate_update,
      .update_comes_first = true,
      .validate_status_update = daemon_set::validate_status_update,
      .warn = daemon_set::warn,
      .columns = daemon_set::kColumns,
      .row = daemon_set::row,
  };
}

}  // namespace proa::kinds
