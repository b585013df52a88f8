#include "kinds/autoscaling/horizontal_pod_autoscaler.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/quantity.h"
#include "api/validation/metadata.h"
#include "kinds/autoscaling/autoscaler_conversion.h"
#include "kinds/autoscaling/metrics.h"
#include "kinds/convert_with.h"

namespace proa::kinds {

namespace horizontal_pod_autoscaler {

constexpr int kPolicyPeriod = 15;

constexpr int64_t kMaxWindow = 3600;
constexpr int64_t kMaxPeriod = 1800;

struct Policy {
  std::string_view type;
  int value;
};

void default_rules(api::Edit rules, std::initializer_list<Policy> policies) {
  rules.set_default("selectPolicy", "Max");
  if (rules.has("policies")) return;
  const api::Edit list = rules.array("policies");
  for (const Policy& policy : policies) {
    const api::Edit item = list.push_object();
    item.set("type", policy.type);
    item.set("value", policy.value);
    item.set("periodSeconds", kPolicyPeriod);
  }
}

void prepare_create(api::Edit object, const Writer& /*writer*/) {
  drop_conversion_annotations(object);
}

void prepare_update(api::Edit object, View /*old*/, const Writer& /*writer*/) {
  drop_conversion_annotations(object);
}

void validate_policy(View policy, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = policy["type"].text();
  if (type != "Pods" && type != "Percent")
    errors.not_supported(path.field("type"), type, {"Percent", "Pods"});
  for (const std::string_view name : {"value", "periodSeconds"}) {
    if (policy[name].integer() <= 0)
      errors.invalid(path.field(name), policy[name].integer(), "must be greater than zero");
  }
  if (policy["periodSeconds"].integer() > kMaxPeriod) {
    errors.invalid(path.field("periodSeconds"), policy["periodSeconds"],
                   fmt::format("must be less than or equal to {}", kMaxPeriod));
  }
}

void validate_rules(View rules, const api::Path& path, api::FieldErrors& errors) {
  if (!rules.exists()) return;
  const View window = rules["stabilizationWindowSeconds"];
  const api::Path window_path = path.field("stabilizationWindowSeconds");
  if (window.integer() < 0)
    errors.invalid(window_path, window, "must be greater than or equal to zero");
  if (window.integer() > kMaxWindow) {
    errors.invalid(window_path, window,
                   fmt::format("must be less than or equal to {}", kMaxWindow));
  }
  constexpr std::string_view kSelections[] = {"Disabled", "Max", "Min"};
  api::validate_enum(rules["selectPolicy"], kSelections, path.field("selectPolicy"), errors);
  const api::Path policies_path = path.field("policies");
  const View policies = rules["policies"];
  if (policies.empty()) errors.required(policies_path, "must specify at least one Policy");
  for (size_t i = 0; i < policies.size(); ++i)
    validate_policy(policies.item(i), policies_path.index(i), errors);
  const View tolerance = rules["tolerance"];
  const auto amount = api::Quantity::parse(tolerance.text());
  if (tolerance.exists() && amount.ok() && amount->sign() < 0)
    errors.invalid(path.field("tolerance"), tolerance, "must be greater than or equal to 0");
}

void validate_replicas(View spec, const api::Path& path, api::FieldErrors& errors) {
  const View least = spec["minReplicas"];
  const int64_t most = spec["maxReplicas"].integer();
  const api::Path most_path = path.field("maxReplicas");
  if (least.exists() && least.integer() < 1)
    errors.invalid(path.field("minReplicas"), least, "must be greater than or equal to 1");
  if (most == 0) {
    errors.required(most_path, "must be set and greater than 0");
  } else if (most < 0) {
    errors.invalid(most_path, most, "must be greater than or equal to 1");
  }
  if (least.exists() && most < least.integer())
    errors.invalid(most_path, most, "must be greater than or equal to `minReplicas`");
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  validate_replicas(spec, path, errors);
  const View target = spec["scaleTargetRef"];
  const bool group_needed = target["kind"].text() != "ReplicationController";
  validate_autoscaler_reference(target, group_needed, path.field("scaleTargetRef"), errors);
  validate_autoscaler_metrics(spec["metrics"], path.field("metrics"), errors);
  if (spec["minReplicas"].exists() && spec["minReplicas"].integer() == 0) {
    const auto metrics = spec["metrics"].items();
    const bool counts_at_zero = std::any_of(metrics.begin(), metrics.end(), [](View metric) {
      return metric["type"].text() == "Object" || metric["type"].text() == "External";
    });
    if (!counts_at_zero) {
      errors.forbidden(path.field("metrics"),
                       "must specify at least one Object or External metric to support scaling to "
                       "zero replicas");
    }
  }
  const api::Path behavior_path = path.field("behavior");
  for (const std::string_view direction : {"scaleUp", "scaleDown"})
    validate_rules(spec["behavior"][direction], behavior_path.field(direction), errors);
}

void validate_status_update(View object, View /*old*/, api::FieldErrors& errors) {
  const api::Path path("status");
  for (const std::string_view name : {"currentReplicas", "desiredReplicas"})
    api::validate_non_negative(object["status"][name], path.field(name), errors);
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Reference", .description = "What is scaled."},
    {.name = "Targets", .description = "What its metrics are, and what they should be."},
    {.name = "MinPods", .description = "The least number of pods."},
    {.name = "MaxPods", .description = "The largest number of pods."},
    {.name = "Replicas", .description = "How many pods there were when it looked last."},
    {.name = "Age"},
};

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  const View target = spec["scaleTargetRef"];
  const View least = spec["minReplicas"];
  cells.text(object["metadata"]["name"].text());
  cells.text(fmt::format("{}/{}", target["kind"].text(), target["name"].text()));
  cells.text(autoscaler_metrics_cell(spec["metrics"], object["status"]["currentMetrics"]));
  cells.text(least.exists() ? std::to_string(least.integer()) : "<unset>");
  cells.number(spec["maxReplicas"].integer());
  cells.number(object["status"]["currentReplicas"].integer());
  cells.age(object["metadata"]["creationTimestamp"]);
}

Result<json::Document> as_v2(View object) {
  json::Document v1;
  if (object.exists()) v1.root() = object.value()->copy(v1.arena());
  return convert_with(autoscaler_to_v2, v1, "autoscaling/v2", "HorizontalPodAutoscaler");
}

void validate_v1(View object, api::FieldErrors& errors) {
  const auto v2 = as_v2(object);
  if (v2.ok()) {
    validate(v2->root(), errors);
  } else {
    errors.invalid_whole(api::Path("metadata.annotations"), v2.status().message());
  }
}

void row_v1(View object, Cells& cells) {
  const auto v2 = as_v2(object);
  row(v2.ok() ? View(v2->root()) : object, cells);
}

constexpr TypeDefaults kDefaults[] = {
    {"autoscaling/v2/HorizontalPodAutoscalerBehavior", default_autoscaler_behavior}};

constexpr Conversion kFromV1[] = {{"autoscaling/v2", autoscaler_to_v2}};
constexpr Conversion kFromV2[] = {{"autoscaling/v1", autoscaler_to_v1}};

}  // namespace horizontal_pod_autoscaler

void default_autoscaler_behavior(api::Edit behavior) {
  using horizontal_pod_autoscaler::default_rules;
  behavior.object("scaleUp").set_default("stabilizationWindowSeconds", 0);
  default_rules(behavior.object("scaleUp"), {{"Pods", 4}, {"Percent", 100}});
  // The stabilization window of scaling down has no default: the controller has a flag for it.
  default_rules(behavior.object("scaleDown"), {{"Percent", 100}});
}

KindRules horizontal_pod_autoscaler_rules() {
  return {
      .kind = "autoscaling/v2/HorizontalPodAutoscaler",
      .defaults = horizontal_pod_autoscaler::kDefaults,
      .conversions = horizontal_pod_autoscaler::kFromV2,
      .prepare_create = horizontal_pod_autoscaler::prepare_create,
      .prepare_update = horizontal_pod_autoscaler::prepare_update,
      .prepare_status_update = horizontal_pod_autoscaler::prepare_update,
      .validate = horizontal_pod_autoscaler::validate,
      .validate_status_update = horizontal_pod_autoscaler::validate_status_update,
      .columns = horizontal_pod_autoscaler::kColumns,
      .row = horizontal_pod_autoscaler::row,
  };
}

KindRules horizontal_pod_autoscaler_v1_rules() {
  return {
      .kind = "autoscaling/v1/HorizontalPodAutoscaler",
      .conversions = horizontal_pod_autoscaler::kFromV1,
      .validate = horizontal_pod_autoscaler::validate_v1,
      .validate_status_update = horizontal_pod_autoscaler::validate_status_update,
      .columns = horizontal_pod_autoscaler::kColumns,
      .row = horizontal_pod_autoscaler::row_v1,
  };
}

}  // namespace proa::kinds
