#include "scheduler/plugins/resources/resource_args.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/field_errors.h"
#include "api/validation/names.h"
#include "kinds/core/resources/resources.h"

namespace proa::scheduler {

namespace resource_args {

using api::FieldErrors;
using api::Path;
using api::View;

// A list of errors as upstream prints it: several in brackets, without duplicates.
Status to_status(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (std::string& text : errors.texts()) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }
  return {Reason::kBadRequest,
          texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "))};
}

std::vector<std::string> read_texts(View list) {
  std::vector<std::string> texts;
  for (const View item : list.items()) texts.emplace_back(item.text());
  return texts;
}

std::vector<ResourceWeight> read_resources(View list) {
  if (list.empty()) return {{.name = "cpu"}, {.name = "memory"}};
  std::vector<ResourceWeight> resources;
  for (const View item : list.items()) {
    const int64_t weight = item["weight"].integer();
    resources.push_back(
        {.name = std::string(item["name"].text()), .weight = weight == 0 ? 1 : weight});
  }
  return resources;
}

std::vector<ShapePoint> read_shape(View list) {
  std::vector<ShapePoint> points;
  for (const View item : list.items()) {
    points.push_back(
        {.utilization = item["utilization"].integer(), .score = item["score"].integer()});
  }
  return points;
}

void check_ignored(const FitArgs& args, FieldErrors& errors) {
  const Path ignored("ignoredResources");
  for (size_t i = 0; i < args.ignored.size(); ++i) {
    const std::string& name = args.ignored[i];
    errors.invalid_each(ignored.index(i), name, api::check_qualified_name(name));
  }
  const Path groups("ignoredResourceGroups");
  for (size_t i = 0; i < args.ignored_groups.size(); ++i) {
    const std::string& group = args.ignored_groups[i];
    const Path path = groups.index(i);
    if (group.find('/') != std::string::npos) {
      errors.invalid(path, group, "resource group name can't contain '/'");
    }
    errors.invalid_each(path, group, api::check_qualified_name(group));
  }
}

void check_weights(const std::vector<ResourceWeight>& resources, const Path& path,
                   FieldErrors& errors) {
  for (size_t i = 0; i < resources.size(); ++i) {
    const auto& [name, weight] = resources[i];
    if (weight > 0 && weight <= 100) continue;
    const Path item = path.index(i);
    errors.invalid(item.field("weight"), weight,
                   fmt::format("resource weight of {} not in valid range (0, 100]", name));
  }
}

void check_shape(const std::vector<ShapePoint>& points, const Path& path, FieldErrors& errors) {
  if (points.empty()) return errors.required(path, "at least one point must be specified");
  for (size_t i = 1; i < points.size(); ++i) {
    if (points[i - 1].utilization < points[i].utilization) continue;
    const Path item = path.index(i);
    errors.invalid(item.field("utilization"), points[i].utilization,
                   "values must be sorted in increasing order");
    break;
  }
  for (size_t i = 0; i < points.size(); ++i) {
    const Path item = path.index(i);
    const auto& [utilization, score] = points[i];
    if (utilization < 0 || utilization > 100)
      errors.invalid(item.field("utilization"), utilization, "not in valid range [0, 100]");
    if (score < 0 || score > 10)
      errors.invalid(item.field("score"), score, "not in valid range [0, 10]");
  }
}

void read_strategy(std::string_view type, const Path& path, FitArgs& args, FieldErrors& errors) {
  if (type == "LeastAllocated") {
    args.strategy = FitArgs::Strategy::kLeastAllocated;
  } else if (type == "MostAllocated") {
    args.strategy = FitArgs::Strategy::kMostAllocated;
  } else if (type == "RequestedToCapacityRatio") {
    args.strategy = FitArgs::Strategy::kRequestedToCapacityRatio;
  } else {
    errors.not_supported(path.field("type"), type,
                         {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"});
  }
}

void check_strategy(View ratio, const Path& path, const FitArgs& args, FieldErrors& errors) {
  check_weights(args.resources, path.field("resources"), errors);
  const Path ratio_path = path.field("requestedToCapacityRatio");
  const bool wanted = args.strategy == FitArgs::Strategy::kRequestedToCapacityRatio;
  if (wanted && !ratio) {
    errors.required(ratio_path, "must be specified when type is RequestedToCapacityRatio");
  } else if (wanted) {
    check_shape(args.shape, ratio_path.field("shape"), errors);
  } else if (ratio) {
    errors.forbidden(ratio_path, "must be nil when type is not RequestedToCapacityRatio");
  }
}

}  // namespace resource_args

bool FitArgs::ignores(std::string_view resource) const {
  if (ignored.empty() && ignored_groups.empty()) return false;
  if (!kinds::pods::is_extended_resource(resource)) return false;
  const std::string_view group = resource.substr(0, resource.find('/'));
  return std::find(ignored.begin(), ignored.end(), resource) != ignored.end() ||
         std::find(ignored_groups.begin(), ignored_groups.end(), group) != ignored_groups.end();
}

Result<FitArgs> read_fit_args(api::View args) {
  const api::View strategy = args["scoringStrategy"];
  const api::View ratio = strategy["requestedToCapacityRatio"];
  FitArgs read{.ignored = resource_args::read_texts(args["ignoredResources"]),
               .ignored_groups = resource_args::read_texts(args["ignoredResourceGroups"]),
               .resources = resource_args::read_resources(strategy["resources"]),
               .shape = resource_args::read_shape(ratio["shape"])};
  api::FieldErrors errors;
  resource_args::check_ignored(read, errors);
  const api::Path path("scoringStrategy");
  if (strategy) {
    resource_args::read_strategy(strategy["type"].text(), path, read, errors);
    resource_args::check_strategy(ratio, path, read, errors);
  }
  if (!errors.empty()) return resource_args::to_status(errors);
  return read;
}

Result<std::vector<ResourceWeight>> read_balanced_args(api::View args) {
  std::vector<ResourceWeight> resources = resource_args::read_resources(args["resources"]);
  api::FieldErrors errors;
  const api::Path path("resources");
  for (size_t i = 0; i < resources.size(); ++i) {
    const ResourceWeight& resource = resources[i];
    const api::Path item = path.index(i);
    const bool known =
        std::any_of(resources.begin(), resources.begin() + i,
                    [&](const ResourceWeight& one) { return one.name == resource.name; });
    if (known) errors.duplicate(item.field("name"), resource.name);
    if (resource.weight != 1) errors.invalid(item.field("weight"), resource.weight, "must be 1");
  }
  if (!errors.empty()) return resource_args::to_status(errors);
  return resources;
}

}  // namespace proa::scheduler
