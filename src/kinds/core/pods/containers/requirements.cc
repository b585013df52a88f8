#include "kinds/core/pods/containers/requirements.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "kinds/core/resources/resources.h"
#include "kinds/core/resources/validation.h"

namespace proa::kinds::pods {

namespace requirements {

void check_pod_resource(std::string_view name, const Path& path, FieldErrors& errors) {
  const size_t before = errors.size();
  validate_resource_name(name, path, errors);
  if (errors.size() == before && !is_pod_level_resource(name))
    errors.not_supported(path, name, {"cpu", "hugepages-", "memory"});
}

void check_amount(std::string_view name, const api::Quantity& quantity, const Path& path,
                  FieldErrors& errors) {
  const std::string text = quantity.str();
  if (quantity.sign() < 0) errors.invalid(path, text, "must be greater than or equal to 0");
  if (is_integer_resource(name) && quantity.milli_value() % 1000 != 0)
    errors.invalid(path, text, "must be an integer");
  if (is_huge_page_resource(name) && !is_whole_pages(name, quantity)) {
    errors.invalid(path, text,
                   fmt::format("{} is not positive integer multiple of {}", text, name));
  }
}

void check_list(const Amounts& amounts, RequirementsOf whose, const Path& path,
                FieldErrors& errors) {
  for (const auto& [name, quantity] : amounts) {
    const Path at = path.key(name);
    if (whose == RequirementsOf::kPod) {
      check_pod_resource(name, at, errors);
    } else {
      validate_container_resource_name(name, at, errors);
    }
    check_amount(name, quantity, at, errors);
  }
}

void compare(const Amounts& requests, const Amounts& limits, const Path& path,
             FieldErrors& errors) {
  const Path requests_path = path.field("requests");
  for (const auto& [name, request] : requests) {
    const auto limit = limits.find(name);
    if (limit == limits.end()) {
      if (!may_be_overcommitted(name)) {
        errors.required(path.field("limits"), "Limit must be set for non overcommitable resources");
      }
    } else if (request != limit->second && !may_be_overcommitted(name)) {
      errors.invalid(requests_path, request.str(),
                     fmt::format("must be equal to {} limit of {}", name, limit->second.str()));
    } else if (request > limit->second) {
      errors.invalid(
          requests_path, request.str(),
          fmt::format("must be less than or equal to {} limit of {}", name, limit->second.str()));
    }
  }
}

bool mentions_compute(const Amounts& amounts) {
  return amounts.contains("cpu") || amounts.contains("memory");
}

bool mentions_huge_pages(const Amounts& amounts) {
  for (const auto& [name, quantity] : amounts)
    if (is_huge_page_resource(name)) return true;
  return false;
}

// A claim is referenced either once as a whole, or by its requests.
void check_claims(View list, const std::set<std::string_view>& claims, const Path& path,
                  FieldErrors& errors) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  each(list, path, [&](View claim, const Path& at) {
    const std::string_view name = claim["name"].text();
    const std::string_view request = claim["request"].text();
    if (name.empty()) return errors.required(at);
    if (seen.contains({name, ""})) {
      errors.duplicate(at, name);
    } else {
      if (!request.empty())
        check_text(claim["request"], api::check_dns1123_label, at.field("request"), errors);
      if (!seen.insert({name, request}).second) {
        errors.duplicate(at, fmt::format("{}/{}", name, request));
      } else if (request.empty()) {
        // Requests of the same claim sort directly after it.
        const auto next = std::next(seen.find({name, request}));
        if (next != seen.end() && next->first == name) errors.duplicate(at, name);
      }
    }
    if (!claims.contains(name)) errors.not_found(at, name);
  });
}

}  // namespace requirements

void validate_requirements(View requirements, RequirementsOf whose,
                           const std::set<std::string_view>& claims, const Path& path,
                           FieldErrors& errors) {
  if (!requirements.exists()) return;
  const Amounts limits = read_amounts(requirements["limits"]);
  const Amounts requests = read_amounts(requirements["requests"]);
  requirements::check_list(limits, whose, path.field("limits"), errors);
  requirements::check_list(requests, whose, path.field("requests"), errors);
  requirements::compare(requests, limits, path, errors);
  const bool huge_pages =
      requirements::mentions_huge_pages(limits) || requirements::mentions_huge_pages(requests);
  if (huge_pages && !requirements::mentions_compute(limits) &&
      !requirements::mentions_compute(requests)) {
    errors.forbidden(path, "HugePages require cpu or memory");
  }
  requirements::check_claims(requirements["claims"], claims, path.field("claims"), errors);
}

void validate_overhead(View overhead, const Path& path, FieldErrors& errors) {
  const Amounts limits = read_amounts(overhead);
  requirements::check_list(limits, RequirementsOf::kContainer, path.field("limits"), errors);
  if (requirements::mentions_huge_pages(limits) && !requirements::mentions_compute(limits))
    errors.forbidden(path, "HugePages require cpu or memory");
}

void validate_pod_level_resources(View spec, const std::set<std::string_view>& claims,
                                  const Path& path, FieldErrors& errors) {
  const View resources = spec["resources"];
  if (!resources.exists()) return;
  if (spec["os"]["name"].text() == "windows")
    return errors.forbidden(path, "may not be set for a windows pod");
  if (!resources["claims"].empty())
    errors.forbidden(path.field("claims"), "claims may not be set for Resources at pod-level");
  validate_requirements(resources, RequirementsOf::kPod, claims, path, errors);

  const Path requests_path = path.field("requests");
  const Path limits_path = path.field("limits");
  const Amounts requests = read_amounts(resources["requests"]);
  const Amounts limits = read_amounts(resources["limits"]);
  for (const auto& [name, sum] : sum_of_containers(spec, Bound::kRequests)) {
    const auto own = requests.find(name);
    if (own != requests.end() && sum > own->second) {
      errors.invalid(
          requests_path.key(name), own->second.str(),
          fmt::format("must be greater than or equal to aggregate container requests of {}",
                      sum.str()));
    }
  }
  for (const auto& [name, sum] : sum_of_containers(spec, Bound::kLimits)) {
    const auto own = limits.find(name);
    if (is_huge_page_resource(name) && own != limits.end() && sum > own->second) {
      errors.invalid(
          limits_path.key(name), own->second.str(),
          fmt::format("must be greater than or equal to aggregate container limits of {}",
                      sum.str()));
    }
  }
  each(spec["containers"], path.field("containers"), [&](View container, const Path& at) {
    for (const auto& [name, limit] : read_amounts(container["resources"]["limits"])) {
      const auto own = limits.find(name);
      if (own == limits.end() || limit <= own->second) continue;
      const Path resource = at.key(name);
      errors.invalid(
          resource.field("limits"), limit.str(),
          fmt::format("must be less than or equal to pod limits of {}", own->second.str()));
    }
  });
}

}  // namespace proa::kinds::pods
