#include "kinds/autoscaling/autoscaler_conversion.h"

#include <cctype>
#include <string>
#include <utility>

#include "api/codec/json/decode.h"
#include "api/schema/builtin.h"
#include "json/parse.h"
#include "json/print.h"
#include "kinds/autoscaling/horizontal_pod_autoscaler.h"
#include "kinds/autoscaling/metric_conversion.h"

namespace proa::kinds {

namespace autoscaler_conversion {

using api::Edit;
using api::View;

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kAnnotations[] = {
    kMetrics,
    kCurrentMetrics,
    kBehavior,
    kConditions,
    "autoscaling.alpha.kubernetes.io/scale-down-tolerance",
    "autoscaling.alpha.kubernetes.io/scale-up-tolerance",
};

constexpr std::string_view kMetricType = "io.k8s.api.autoscaling.v1.MetricSpec";
constexpr std::string_view kMetricStatusType = "io.k8s.api.autoscaling.v1.MetricStatus";
constexpr std::string_view kConditionType =
    "io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerCondition";
constexpr std::string_view kBehaviorType =
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior";

// Decodes the value as `type`, with its fields in order. Fails if it is not of that type.
Result<json::Document> as_type(View value, std::string_view openapi) {
  const api::Type* type = api::builtin_schema().find_openapi(openapi);
  CHECK(type != nullptr);
  json::Document document;
  if (value.exists()) document.root() = value.value()->copy(document.arena());
  api::Decoded decoded =
      TRY(api::decode_document(std::move(document), *type, api::FieldValidation::kIgnore));
  return std::move(decoded.document);
}

// Appends the value, in the form of its type, to an array.
bool append(View value, std::string_view openapi, Edit list) {
  const auto typed = as_type(value, openapi);
  if (!typed.ok()) return false;
  list.push(typed->root().copy(list.arena()));
  return true;
}

json::Document parse_annotation(View object, std::string_view name) {
  const View text = object["metadata"]["annotations"][name];
  if (!text.exists()) return {};
  // All annotations together may have no more.
  constexpr size_t kMaxBytes = size_t{256} << 10;
  auto parsed = json::parse(text.text(), {.max_size = kMaxBytes});
  return parsed.ok() ? std::move(parsed).value() : json::Document();
}

// A list of the type; empty if absent, or if upstream could not parse it either.
json::Document read_list(View object, std::string_view name, std::string_view openapi) {
  const json::Document parsed = parse_annotation(object, name);
  if (!parsed.root().is(json::Kind::kArray)) return {};
  json::Document list;
  list.root() = json::Value::array();
  for (const View item : parsed.root().items()) {
    if (!append(item, openapi, Edit(list))) return {};
  }
  return list;
}

void annotate(Edit object, std::string_view name, const json::Value& value) {
  object.object("metadata").object("annotations").set(name, json::print(value));
}

void annotate_list(Edit object, std::string_view name, const json::Document& list) {
  if (list.root().size() > 0) annotate(object, name, list.root());
}

bool is_cpu(View metric) {
  return metric["type"].text() == "Resource" && metric["resource"]["name"].text() == "cpu";
}

bool is_cpu_utilization(View metric) {
  return is_cpu(metric) && metric["resource"]["target"]["averageUtilization"].exists();
}

// Upstream prints behavior with the names of its Go fields, and unset fields as null.
constexpr std::pair<std::string_view, std::string_view> kRules[] = {
    {"StabilizationWindowSeconds", "stabilizationWindowSeconds"},
    {"SelectPolicy", "selectPolicy"},
    {"Policies", "policies"},
    {"Tolerance", "tolerance"},
};
constexpr std::pair<std::string_view, std::string_view> kPolicy[] = {
    {"Type", "type"},
    {"Value", "value"},
    {"PeriodSeconds", "periodSeconds"},
};

json::Value copy_or_null(View value, json::Arena& arena) {
  return value.exists() ? value.value()->copy(arena) : json::Value();
}

json::Value go_rules(View rules, json::Arena& arena) {
  if (!rules.exists()) return {};
  json::Value converted = json::Value::object();
  for (const auto& [name, field] : kRules)
    converted.set(arena, name, copy_or_null(rules[field], arena));
  if (!rules["policies"].exists()) return converted;
  json::Value policies = json::Value::array();
  for (const View policy : rules["policies"].items()) {
    json::Value item = json::Value::object();
    for (const auto& [name, field] : kPolicy)
      item.set(arena, name, copy_or_null(policy[field], arena));
    policies.push_back(arena, std::move(item));
  }
  converted.set(arena, "Policies", std::move(policies));
  return converted;
}

// Go reads keys in any case; ours begin with a small letter.
json::Value with_small_letters(const json::Value& value, json::Arena& arena) {
  if (value.is(json::Kind::kArray)) {
    json::Value list = json::Value::array();
    for (const json::Value& item : value.items())
      list.push_back(arena, with_small_letters(item, arena));
    return list;
  }
  if (!value.is(json::Kind::kObject)) return value.copy(arena);
  json::Value object = json::Value::object();
  for (const json::Member& member : value.members()) {
    std::string key(member.key);
    if (!key.empty()) key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    object.set(arena, key, with_small_letters(member.value, arena));
  }
  return object;
}

void read_behavior(View v1, Edit spec) {
  const json::Document parsed = parse_annotation(v1, kBehavior);
  if (!parsed.root().is(json::Kind::kObject)) return;
  json::Document small;
  small.root() = with_small_letters(parsed.root(), small.arena());
  const auto behavior = as_type(small.root(), kBehaviorType);
  if (!behavior.ok() || behavior->root().size() == 0) return;
  spec.copy("behavior", behavior->root());
  default_autoscaler_behavior(spec.existing("behavior"));
}

// The target if there are no metrics, as in schema/ for v2.
constexpr int kDefaultUtilization = 80;

void add_cpu_metric(int64_t utilization, Edit metrics) {
  const Edit metric = metrics.push_object();
  metric.set("type", "Resource");
  const Edit resource = metric.object("resource");
  resource.set("name", "cpu");
  resource.object("target").set("type", "Utilization");
  resource.object("target").set("averageUtilization", utilization);
}

void spec_to_v2(View v1, Edit spec) {
  for (const std::string_view name : {"scaleTargetRef", "minReplicas", "maxReplicas"})
    spec.copy(name, v1["spec"][name]);
  const Edit metrics = spec.array("metrics");
  const json::Document others = read_list(v1, kMetrics, kMetricType);
  for (const View metric : others.root().items())
    metric_to_v2(metric, MetricPart::kSpec, metrics.push_object());
  const View utilization = v1["spec"]["targetCPUUtilizationPercentage"];
  if (utilization.exists()) {
    add_cpu_metric(utilization.integer(), metrics);
  } else if (metrics.size() == 0) {
    add_cpu_metric(kDefaultUtilization, metrics);
  }
  read_behavior(v1, spec);
}

void status_to_v2(View v1, Edit status) {
  for (const std::string_view name :
       {"observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"}) {
    status.copy(name, v1["status"][name]);
  }
  const View utilization = v1["status"]["currentCPUUtilizationPercentage"];
  const json::Document metrics = read_list(v1, kCurrentMetrics, kMetricStatusType);
  if (metrics.root().is(json::Kind::kArray)) {
    const Edit list = status.array("currentMetrics");
    for (const View metric : metrics.root().items())
      metric_to_v2(metric, MetricPart::kStatus, list.push_object());
  } else if (utilization.exists()) {
    const Edit metric = status.array("currentMetrics").push_object();
    metric.set("type", "Resource");
    metric.object("resource").set("name", "cpu");
    metric.object("resource").object("current").copy("averageUtilization", utilization);
  }
  const json::Document conditions = read_list(v1, kConditions, kConditionType);
  if (conditions.root().is(json::Kind::kArray)) status.copy("conditions", conditions.root());
}

void spec_to_v1(View v2, Edit converted) {
  const Edit spec = converted.object("spec");
  for (const std::string_view name : {"scaleTargetRef", "minReplicas", "maxReplicas"})
    spec.copy(name, v2["spec"][name]);
  json::Document others;
  others.root() = json::Value::array();
  for (const View metric : v2["spec"]["metrics"].items()) {
    if (is_cpu_utilization(metric)) {
      if (!spec.has("targetCPUUtilizationPercentage")) {
        spec.copy("targetCPUUtilizationPercentage",
                  metric["resource"]["target"]["averageUtilization"]);
      }
      continue;
    }
    json::Document other;
    other.root() = json::Value::object();
    metric_to_v1(metric, MetricPart::kSpec, Edit(other));
    append(other.root(), kMetricType, Edit(others));
  }
  annotate_list(converted, kMetrics, others);
  const View behavior = v2["spec"]["behavior"];
  if (!behavior.exists()) return;
  json::Document go;
  go.root() = json::Value::object();
  go.root().set(go.arena(), "ScaleUp", go_rules(behavior["scaleUp"], go.arena()));
  go.root().set(go.arena(), "ScaleDown", go_rules(behavior["scaleDown"], go.arena()));
  annotate(converted, kBehavior, go.root());
}

void status_to_v1(View v2, Edit converted) {
  const Edit status = converted.object("status");
  for (const std::string_view name :
       {"observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"}) {
    status.copy(name, v2["status"][name]);
  }
  json::Document metrics;
  metrics.root() = json::Value::array();
  for (const View metric : v2["status"]["currentMetrics"].items()) {
    const View utilization = metric["resource"]["current"]["averageUtilization"];
    if (is_cpu(metric) && utilization.exists())
      status.copy("currentCPUUtilizationPercentage", utilization);
    json::Document current;
    current.root() = json::Value::object();
    metric_to_v1(metric, MetricPart::kStatus, Edit(current));
    append(current.root(), kMetricStatusType, Edit(metrics));
  }
  annotate_list(converted, kCurrentMetrics, metrics);
  json::Document conditions;
  conditions.root() = json::Value::array();
  for (const View condition : v2["status"]["conditions"].items())
    append(condition, kConditionType, Edit(conditions));
  annotate_list(converted, kConditions, conditions);
}

}  // namespace autoscaler_conversion

void drop_conversion_annotations(api::Edit autoscaler) {
  const api::View annotations = autoscaler["metadata"]["annotations"];
  if (!annotations.exists()) return;
  const api::Edit metadata = autoscaler.existing("metadata");
  for (const std::string_view name : autoscaler_conversion::kAnnotations)
    metadata.existing("annotations").remove(name);
  if (metadata["annotations"].empty()) metadata.remove("annotations");
}

void autoscaler_to_v2(api::View v1, api::Edit converted) {
  const api::Edit spec = converted.object("spec");
  autoscaler_conversion::spec_to_v2(v1, spec);
  autoscaler_conversion::status_to_v2(v1, converted.object("status"));
  drop_conversion_annotations(converted);
}

void autoscaler_to_v1(api::View v2, api::Edit converted) {
  drop_conversion_annotations(converted);
  autoscaler_conversion::spec_to_v1(v2, converted);
  autoscaler_conversion::status_to_v1(v2, converted);
}

}  // namespace proa::kinds
