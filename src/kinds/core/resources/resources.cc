#include "kinds/core/resources/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "api/validation/names.h"

namespace proa::kinds::pods {

namespace resources {

using api::View;

constexpr std::array<std::string_view, 9> kCounted{"pods",
                                                   "resourcequotas",
                                                   "services",
                                                   "replicationcontrollers",
                                                   "secrets",
                                                   "configmaps",
                                                   "persistentvolumeclaims",
                                                   "services.nodeports",
                                                   "services.loadbalancers"};
constexpr std::array<std::string_view, 8> kCompute{
    "requests.cpu", "requests.memory", "requests.ephemeral-storage",
    "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
    "storage",      "requests.storage"};

bool one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The positive amounts of cpu and memory, which determine the QoS class.
Amounts compute_amounts(View list) {
  Amounts amounts = read_amounts(list);
  std::erase_if(amounts, [](const auto& amount) {
    return (amount.first != "cpu" && amount.first != "memory") || amount.second.sign() <= 0;
  });
  return amounts;
}

}  // namespace resources

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, quantity] : more) {
    const auto [place, is_new] = sum.try_emplace(name, quantity);
    if (!is_new) place->second += quantity;
  }
}

void take_larger(Amounts& most, const Amounts& other) {
  for (const auto& [name, quantity] : other) {
    const auto [place, is_new] = most.try_emplace(name, quantity);
    if (!is_new && quantity > place->second) place->second = quantity;
  }
}

bool is_huge_page_resource(std::string_view name) { return name.starts_with("hugepages-"); }

bool is_native_resource(std::string_view name) {
  return name.find('/') == std::string_view::npos ||
         name.find("kubernetes.io/") != std::string_view::npos;
}

bool is_extended_resource(std::string_view name) {
  if (is_native_resource(name) || name.starts_with("requests.")) return false;
  return api::check_qualified_name(fmt::format("requests.{}", name)).empty();
}

bool may_be_overcommitted(std::string_view name) {
  return is_native_resource(name) && !is_huge_page_resource(name);
}

bool is_integer_resource(std::string_view name) {
  return resources::one_of(resources::kCounted, name) || is_extended_resource(name);
}

bool is_container_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
         is_huge_page_resource(name);
}

bool is_standard_resource(std::string_view name) {
  return is_container_resource(name) || name.starts_with("requests.hugepages-") ||
         resources::one_of(resources::kCounted, name) ||
         resources::one_of(resources::kCompute, name);
}

bool is_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_page_resource(name);
}

bool is_whole_pages(std::string_view name, const api::Quantity& quantity) {
  const auto page = api::Quantity::parse(name.substr(std::string_view("hugepages-").size()));
  if (!page.ok() || page->sign() <= 0 || page->milli_value() % 1000 != 0) return false;
  return quantity.value() % page->value() == 0;
}

Amounts read_amounts(api::View list) {
  Amounts amounts;
  for (const json::Member& member : list.members()) {
    auto quantity = api::Quantity::parse(api::View(member.value).text());
    if (quantity.ok()) amounts.emplace(member.key, *std::move(quantity));
  }
  return amounts;
}

bool is_sidecar(api::View container) { return container["restartPolicy"].text() == "Always"; }

Amounts sum_of_containers(api::View spec, Bound bound) {
  const std::string_view list = bound == Bound::kRequests ? "requests" : "limits";
  Amounts sum;
  for (const api::View container : spec["containers"].items())
    add(sum, read_amounts(container["resources"][list]));

  Amounts sidecars;  // run concurrently with the next init container
  Amounts most;
  for (const api::View container : spec["initContainers"].items()) {
    const Amounts needed = read_amounts(container["resources"][list]);
    if (is_sidecar(container)) {
      add(sum, needed);
      add(sidecars, needed);
    }
    // Amounts of other sidecars did not change since they were looked at.
    for (const auto& [name, quantity] : needed) {
      const auto others = sidecars.find(name);
      api::Quantity together = is_sidecar(container) ? others->second : quantity;
      if (!is_sidecar(container) && others != sidecars.end()) together += others->second;
      const auto [place, is_new] = most.try_emplace(name, together);
      if (!is_new && together > place->second) place->second = together;
    }
  }
  take_larger(sum, most);
  return sum;
}

std::string_view quality_of_service(api::View spec) {
  Amounts requests;
  Amounts limits;
  bool guaranteed = true;
  const auto count = [&](api::View part) {
    add(requests, resources::compute_amounts(part["requests"]));
    const Amounts part_limits = resources::compute_amounts(part["limits"]);
    add(limits, part_limits);
    return part_limits.size() == 2;
  };
  if (spec["resources"].exists()) {
    if (!count(spec["resources"]) && !spec["resources"]["limits"].empty()) guaranteed = false;
  } else {
    for (const std::string_view list : {"containers", "initContainers"}) {
      for (const api::View container : spec[list].items())
        if (!count(container["resources"])) guaranteed = false;
    }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return guaranteed && requests == limits ? "Guaranteed" : "Burstable";
}

}  // namespace proa::kinds::pods
