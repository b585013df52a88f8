#include "kinds/core/quota/limit_range.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "kinds/checks/fields.h"
#include "kinds/core/resources/resources.h"
#include "kinds/core/resources/validation.h"

namespace proa::kinds {

namespace limit_range {

using api::FieldErrors;
using api::Path;
using api::Quantity;

constexpr std::string_view kLists[] = {"max", "min", "default", "defaultRequest",
                                       "maxLimitRequestRatio"};

void prepare_create(api::Edit object, const Writer& writer) {
  if (!object["metadata"]["name"].text().empty()) return;
  object.object("metadata").set("name", make_uid(writer.random));
}

void validate_type(View type, const Path& path, FieldErrors& errors) {
  const std::string_view name = type.text();
  const auto problems = api::check_qualified_name(name);
  if (!problems.empty()) return errors.invalid_each(path, name, problems);
  if (name.find('/') != std::string_view::npos) return;
  if (!contains({"Pod", "Container", "PersistentVolumeClaim"}, name)) {
    errors.invalid(path, name, "must be a standard limit type or fully qualified");
  }
}

void validate_names(View item, const Path& path, FieldErrors& errors) {
  const std::string_view type = item["type"].text();
  for (const std::string_view list : kLists) {
    const Path list_path = path.field(list);
    if (type == "Pod" && list.starts_with("default")) {
      if (!item[list].empty()) {
        errors.forbidden(list_path, "may not be specified when `type` is 'Pod'");
      }
      continue;
    }
    for (const json::Member& member : item[list].members()) {
      if (type == "Pod" || type == "Container") {
        validate_container_resource_name(member.key, list_path.key(member.key), errors);
      } else {
        validate_resource_name(member.key, list_path.key(member.key), errors);
      }
    }
  }
}

// The values of an item for one resource.
struct Bounds {
  std::string_view resource;
  std::optional<Quantity> min;
  std::optional<Quantity> max;
  std::optional<Quantity> limit;
  std::optional<Quantity> request;
  std::optional<Quantity> ratio;
};

std::optional<Quantity> bound(View list, std::string_view resource) {
  if (!list[resource]) return std::nullopt;
  return quantity_of(list[resource]);
}

Bounds bounds_of(View item, std::string_view resource) {
  const bool is_pod = item["type"].text() == "Pod";
  return {.resource = resource,
          .min = bound(item["min"], resource),
          .max = bound(item["max"], resource),
          .limit = bound(is_pod ? View() : item["default"], resource),
          .request = bound(is_pod ? View() : item["defaultRequest"], resource),
          .ratio = bound(item["maxLimitRequestRatio"], resource)};
}

bool exceeds(const std::optional<Quantity>& small, const std::optional<Quantity>& large) {
  return small && large && *small > *large;
}

void validate_order(const Bounds& bounds, const Path& path, FieldErrors& errors) {
  // "min value 2 is greater than max value 1", reported at one of the two.
  const auto check = [&](const std::optional<Quantity>& small, std::string_view small_name,
                         const std::optional<Quantity>& large, std::string_view large_name,
                         std::string_view list, const std::optional<Quantity>& shown) {
    if (!exceeds(small, large)) return;
    const Path list_path = path.field(list);
    errors.invalid(list_path.key(bounds.resource), shown->str(),
                   fmt::format("{} value {} is greater than {} value {}", small_name, small->str(),
                               large_name, large->str()));
  };
  check(bounds.min, "min", bounds.max, "max", "min", bounds.min);
  check(bounds.min, "min", bounds.request, "default request", "defaultRequest", bounds.request);
  check(bounds.request, "default request", bounds.max, "max", "defaultRequest", bounds.request);
  check(bounds.request, "default request", bounds.limit, "default limit", "defaultRequest",
        bounds.request);
  check(bounds.min, "min", bounds.limit, "default", "default", bounds.min);
  check(bounds.limit, "default", bounds.max, "max", "default", bounds.max);
}

void validate_ratio(const Bounds& bounds, const Path& path, FieldErrors& errors) {
  if (!bounds.ratio) return;
  const Path list_path = path.field("maxLimitRequestRatio");
  const Path ratio_path = list_path.key(bounds.resource);
  const std::string ratio = bounds.ratio->str();
  if (*bounds.ratio < Quantity(1)) {
    errors.invalid(ratio_path, ratio, fmt::format("ratio {} is less than 1", ratio));
  }
  if (!bounds.min || !bounds.max) return;
  const double most = bounds.max->approximate() / bounds.min->approximate();
  if (bounds.ratio->approximate() > most) {
    errors.invalid(ratio_path, ratio,
                   fmt::format("ratio {} is greater than max/min = {:f}", ratio, most));
  }
}

void validate_bounds(const Bounds& bounds, const Path& path, FieldErrors& errors) {
  validate_order(bounds, path, errors);
  validate_ratio(bounds, path, errors);
  if (pods::may_be_overcommitted(bounds.resource) || !bounds.limit || !bounds.request) return;
  if (*bounds.limit == *bounds.request) return;
  const Path list_path = path.field("defaultRequest");
  errors.invalid(list_path.key(bounds.resource), bounds.request->str(),
                 fmt::format("default value {} must equal to defaultRequest value {} in {}",
                             bounds.limit->str(), bounds.request->str(), bounds.resource));
}

void validate_item(View item, const Path& path, FieldErrors& errors) {
  validate_names(item, path, errors);
  if (item["type"].text() == "PersistentVolumeClaim" && !item["min"]["storage"] &&
      !item["max"]["storage"]) {
    errors.required(path.field("limits"),
                    "either minimum or maximum storage value is required, but neither was "
                    "provided");
  }
  std::set<std::string_view> resources;
  for (const std::string_view list : kLists) {
    for (const json::Member& member : item[list].members()) resources.insert(member.key);
  }
  for (const std::string_view resource : resources) {
    validate_bounds(bounds_of(item, resource), path, errors);
  }
}

void validate(View object, FieldErrors& errors) {
  const Path path("spec.limits");
  std::set<std::string_view> types;
  each(object["spec"]["limits"], path, [&](View item, const Path& item_path) {
    const Path type_path = item_path.field("type");
    validate_type(item["type"], type_path, errors);
    if (!types.insert(item["type"].text()).second) errors.duplicate(type_path, item["type"]);
    validate_item(item, item_path, errors);
  });
}

// Copies entries that `to` lacks from `from`.
void fill(api::Edit item, std::string_view to, std::string_view from) {
  for (const json::Member& member : item[from].members()) {
    const api::Edit list = item.object(to);
    if (!list.has(member.key)) list.copy(member.key, member.value);
  }
}

void default_limit_range_item(api::Edit item) {
  if (item["type"].text() != "Container") return;
  limit_range::fill(item, "default", "max");
  limit_range::fill(item, "defaultRequest", "default");
  limit_range::fill(item, "defaultRequest", "min");
}

constexpr TypeDefaults kDefaults[] = {{"v1/LimitRangeItem", default_limit_range_item}};

}  // namespace limit_range

KindRules limit_range_rules() {
  return {.kind = "v1/LimitRange",
          .metadata = {.update = "M"},
          .defaults = limit_range::kDefaults,
          .prepare_create = limit_range::prepare_create,
          .validate = limit_range::validate};
}

}  // namespace proa::kinds
