#include "kinds/autoscaling/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/quantity.h"
#include "base/strings.h"
#include "kinds/core/resources/validation.h"

namespace proa::kinds {

namespace metrics {

constexpr std::string_view kTypes[] = {"ContainerResource", "External", "Object", "Pods",
                                       "Resource"};

void validate_target(View target, const api::Path& path, api::FieldErrors& errors) {
  const View type = target["type"];
  if (type.text().empty()) errors.required(path.field("type"), "must specify a metric target type");
  if (type.text() != "Utilization" && type.text() != "Value" && type.text() != "AverageValue") {
    errors.invalid(path.field("type"), type.text(),
                   "must be either Utilization, Value, or AverageValue");
  }
  for (const std::string_view name : {"value", "averageValue"}) {
    const auto amount = api::Quantity::parse(target[name].text());
    if (target[name].exists() && amount.ok() && amount->sign() != 1)
      errors.invalid(path.field(name), target[name], "must be positive");
  }
  const View utilization = target["averageUtilization"];
  if (utilization.exists() && utilization.integer() < 1)
    errors.invalid(path.field("averageUtilization"), utilization, "must be greater than 0");
}

void validate_identifier(View metric, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view name = metric["name"].text();
  if (name.empty()) {
    errors.required(path.field("name"), "must specify a metric name");
  } else {
    errors.invalid_each(path.field("name"), name, api::check_path_segment(name));
  }
}

void validate_named(View source, const api::Path& path, api::FieldErrors& errors) {
  validate_identifier(source["metric"], path.field("metric"), errors);
  validate_target(source["target"], path.field("target"), errors);
}

void validate_object(View source, const api::Path& path, api::FieldErrors& errors) {
  validate_autoscaler_reference(source["describedObject"], false, path.field("describedObject"),
                                errors);
  validate_named(source, path, errors);
  const View target = source["target"];
  if (!target["value"].exists() && !target["averageValue"].exists()) {
    errors.required(path.field("target.averageValue"),
                    "must set either a target value or averageValue");
  }
}

void validate_external(View source, const api::Path& path, api::FieldErrors& errors) {
  validate_named(source, path, errors);
  const bool value = source["target"]["value"].exists();
  const bool average = source["target"]["averageValue"].exists();
  if (!value && !average) {
    errors.required(path.field("target.averageValue"),
                    "must set either a target value for metric or a per-pod target");
  } else if (value && average) {
    errors.forbidden(path.field("target.value"),
                     "may not set both a target value for metric and a per-pod target");
  }
}

void validate_pods(View source, const api::Path& path, api::FieldErrors& errors) {
  validate_named(source, path, errors);
  if (!source["target"]["averageValue"].exists()) {
    errors.required(path.field("target.averageValue"),
                    "must specify a positive target averageValue");
  }
}

void validate_resource(View source, const api::Path& path, api::FieldErrors& errors) {
  if (source["name"].text().empty())
    errors.required(path.field("name"), "must specify a resource name");
  const View target = source["target"];
  validate_target(target, path.field("target"), errors);
  const bool utilization = target["averageUtilization"].exists();
  const bool average = target["averageValue"].exists();
  if (!utilization && !average) {
    errors.required(path.field("target.averageUtilization"),
                    "must set either a target raw value or a target utilization");
  } else if (utilization && average) {
    errors.forbidden(path.field("target.averageValue"),
                     "may not set both a target raw value and a target utilization");
  }
}

void validate_container_resource(View source, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view container = source["container"].text();
  if (container.empty()) {
    errors.required(path.field("container"), "must specify a container");
  } else {
    errors.invalid_each(path.field("container"), container, api::check_dns1123_label(container));
  }
  const std::string_view name = source["name"].text();
  if (!name.empty()) validate_container_resource_name(name, path.field("name"), errors);
  validate_resource(source, path, errors);
}

struct Source {
  std::string_view type;
  std::string_view field;
  void (*validate)(View source, const api::Path& path, api::FieldErrors& errors);
};

// In upstream's order: if several are set, the first one is validated.
constexpr Source kSources[] = {
    {"Object", "object", validate_object},
    {"External", "external", validate_external},
    {"Pods", "pods", validate_pods},
    {"Resource", "resource", validate_resource},
    {"ContainerResource", "containerResource", validate_container_resource},
};

void validate_metric(View metric, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view type = metric["type"].text();
  if (type.empty()) errors.required(path.field("type"), "must specify a metric source type");
  if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
    errors.not_supported(path.field("type"), type, kTypes);
  size_t present = 0;
  for (const Source& source : kSources) {
    if (!metric[source.field].exists()) continue;
    if (++present == 1) source.validate(metric[source.field], path.field(source.field), errors);
  }
  for (const Source& source : kSources) {
    const bool given = metric[source.field].exists();
    if (type == source.type && !given) {
      errors.required(path.field(source.field),
                      "must populate information for the given metric source");
    } else if (type != source.type && given && present != 1) {
      errors.forbidden(path.field(source.field), "must populate the given metric source only");
    }
  }
}

std::string_view quantity_text(View value) { return value.text("0"); }

std::string percent(View value, std::string_view otherwise) {
  return value.exists() ? fmt::format("{}%", value.integer()) : std::string(otherwise);
}

// "100m/200m", with "(avg)" for an average over all pods.
std::string amounts(View target, View current, bool averages) {
  constexpr std::string_view kUnknown = "<unknown>";
  const View average = target["averageValue"];
  if (average.exists() && averages) {
    return fmt::format("{}/{} (avg)", current["averageValue"].text(kUnknown),
                       quantity_text(average));
  }
  const std::string_view field = averages ? "value" : "averageValue";
  return fmt::format("{}/{}", current.exists() ? quantity_text(current[field]) : kUnknown,
                     quantity_text(target[field]));
}

std::string resource_amounts(View source, View current) {
  const View target = source["target"];
  if (target["averageValue"].exists())
    return fmt::format("{}: {}", source["name"].text(), amounts(target, current, false));
  return fmt::format("{}: {}/{}", source["name"].text(),
                     percent(current["averageUtilization"], "<unknown>"),
                     percent(target["averageUtilization"], "<auto>"));
}

std::string cell(View metric, View status) {
  const std::string_view type = metric["type"].text();
  const auto* source = std::find_if(std::begin(kSources), std::end(kSources),
                                    [&](const Source& each) { return each.type == type; });
  if (source == std::end(kSources)) return "<unknown type>";
  const View spec = metric[source->field];
  const View current = status[source->field]["current"];
  if (type == "Resource" || type == "ContainerResource") return resource_amounts(spec, current);
  return amounts(spec["target"], current, type != "Pods");
}

}  // namespace metrics

void validate_autoscaler_reference(View reference, bool group_needed, const api::Path& path,
                                   api::FieldErrors& errors) {
  for (const std::string_view name : {"kind", "name"}) {
    const std::string_view text = reference[name].text();
    if (text.empty()) {
      errors.required(path.field(name));
    } else {
      errors.invalid_each(path.field(name), text, api::check_path_segment(text));
    }
  }
  const std::string_view version = reference["apiVersion"].text();
  const size_t slashes = static_cast<size_t>(std::count(version.begin(), version.end(), '/'));
  if (slashes > 1) {
    errors.invalid(path.field("apiVersion"), version,
                   "unexpected GroupVersion string: " + std::string(version));
  } else if (group_needed && (slashes == 0 || version.starts_with('/'))) {
    errors.invalid(path.field("apiVersion"), version, "apiVersion must specify API group");
  }
}

void validate_autoscaler_metrics(View metrics, const api::Path& path, api::FieldErrors& errors) {
  for (size_t i = 0; i < metrics.size(); ++i)
    metrics::validate_metric(metrics.item(i), path.index(i), errors);
}

std::string autoscaler_metrics_cell(View metrics, View current) {
  constexpr size_t kMaxShown = 2;
  if (metrics.empty()) return "<none>";
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(metrics.size(), kMaxShown); ++i)
    shown.push_back(metrics::cell(metrics.item(i), current.item(i)));
  std::string text = join(shown, ", ");
  if (metrics.size() <= kMaxShown) return text;
  return fmt::format("{} + {} more...", text, metrics.size() - kMaxShown);
}

}  // namespace proa::kinds
