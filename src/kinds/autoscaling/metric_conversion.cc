#include "kinds/autoscaling/metric_conversion.h"

#include <span>

#include "api/quantity.h"
#include "base/strings.h"

namespace proa::kinds {

namespace metric_conversion {

using api::Edit;
using api::View;

// The fields with the same meaning; in v2 inside an object of the metric ("target.value").
struct Place {
  std::string_view v1;
  std::string_view v2;
};

struct Source {
  std::string_view field;
  std::span<const Place> places;
};

constexpr Place kObjectSpec[] = {
    {"target", "describedObject"},           {"metricName", "metric.name"},
    {"targetValue", "target.value"},         {"selector", "metric.selector"},
    {"averageValue", "target.averageValue"},
};
constexpr Place kPodsSpec[] = {
    {"metricName", "metric.name"},
    {"targetAverageValue", "target.averageValue"},
    {"selector", "metric.selector"},
};
constexpr Place kResourceSpec[] = {
    {"name", "name"},
    {"targetAverageUtilization", "target.averageUtilization"},
    {"targetAverageValue", "target.averageValue"},
};
constexpr Place kContainerResourceSpec[] = {
    {"name", "name"},
    {"targetAverageUtilization", "target.averageUtilization"},
    {"targetAverageValue", "target.averageValue"},
    {"container", "container"},
};
constexpr Place kExternalSpec[] = {
    {"metricName", "metric.name"},
    {"metricSelector", "metric.selector"},
    {"targetValue", "target.value"},
    {"targetAverageValue", "target.averageValue"},
};
constexpr Source kSpecs[] = {
    {"object", kObjectSpec},     {"pods", kPodsSpec},
    {"resource", kResourceSpec}, {"containerResource", kContainerResourceSpec},
    {"external", kExternalSpec},
};

constexpr Place kObjectStatus[] = {
    {"target", "describedObject"},
    {"metricName", "metric.name"},
    {"currentValue", "current.value"},
    {"selector", "metric.selector"},
    {"averageValue", "current.averageValue"},
};
constexpr Place kPodsStatus[] = {
    {"metricName", "metric.name"},
    {"currentAverageValue", "current.averageValue"},
    {"selector", "metric.selector"},
};
constexpr Place kResourceStatus[] = {
    {"name", "name"},
    {"currentAverageUtilization", "current.averageUtilization"},
    {"currentAverageValue", "current.averageValue"},
};
constexpr Place kContainerResourceStatus[] = {
    {"name", "name"},
    {"currentAverageUtilization", "current.averageUtilization"},
    {"currentAverageValue", "current.averageValue"},
    {"container", "container"},
};
constexpr Place kExternalStatus[] = {
    {"metricName", "metric.name"},
    {"metricSelector", "metric.selector"},
    {"currentValue", "current.value"},
    {"currentAverageValue", "current.averageValue"},
};
constexpr Source kStatuses[] = {
    {"object", kObjectStatus},     {"pods", kPodsStatus},
    {"resource", kResourceStatus}, {"containerResource", kContainerResourceStatus},
    {"external", kExternalStatus},
};

std::span<const Source> sources(MetricPart part) {
  if (part == MetricPart::kSpec) return kSpecs;
  return kStatuses;
}

bool is_zero(View quantity) {
  const auto amount = api::Quantity::parse(quantity.text("0"));
  return amount.ok() && amount->is_zero();
}

// The type of the target, which is implicit in v1.
std::string_view target_type(std::string_view field, View target) {
  if (target["averageUtilization"].exists()) return "Utilization";
  const bool prefers_average = field == "object" && target["averageValue"].exists();
  return target["value"].exists() && !prefers_average ? "Value" : "AverageValue";
}

void complete_target(std::string_view field, Edit source) {
  const Edit target = source.object("target");
  // The value is required in v1.
  if (field == "object" && target.has("averageValue") && is_zero(target["value"]))
    target.remove("value");
  target.set("type", target_type(field, target.view()));
}

}  // namespace metric_conversion

void metric_to_v1(api::View metric, MetricPart part, api::Edit converted) {
  converted.set("type", metric["type"].text());
  for (const metric_conversion::Source& source : metric_conversion::sources(part)) {
    const api::View from = metric[source.field];
    if (!from.exists()) continue;
    const api::Edit to = converted.object(source.field);
    for (const metric_conversion::Place& place : source.places)
      to.copy(place.v1, from.at(place.v2));
  }
}

void metric_to_v2(api::View metric, MetricPart part, api::Edit converted) {
  converted.set("type", metric["type"].text());
  for (const metric_conversion::Source& source : metric_conversion::sources(part)) {
    const api::View from = metric[source.field];
    if (!from.exists()) continue;
    const api::Edit to = converted.object(source.field);
    for (const metric_conversion::Place& place : source.places) {
      const auto path = split_once(place.v2, '.');
      const api::Edit parent = path ? to.object(path->before) : to;
      if (from[place.v1].exists()) parent.copy(path ? path->after : place.v2, from[place.v1]);
    }
    if (part == MetricPart::kSpec) metric_conversion::complete_target(source.field, to);
  }
}

}  // namespace proa::kinds
