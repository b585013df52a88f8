#include "kubelet/pod/environment/downward_api.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kinds/core/pods/spec/field_selectors.h"
#include "kinds/core/resources/resources.h"

namespace proa::kubelet {
namespace downward_api {

Status unsupported(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

using kinds::pods::Subscripted;

Result<std::string> one_of_map(const Pod& pod, std::string_view path, const Subscripted& parts) {
  const bool labels = parts.path == "metadata.labels";
  if (!labels && parts.path != "metadata.annotations") {
    return unsupported(fmt::format("field label does not support subscript: {}", path));
  }
  const std::string checked = labels ? std::string(parts.key) : to_lower(parts.key);
  if (const api::Problems problems = api::check_qualified_name(checked); !problems.empty()) {
    return unsupported(fmt::format("invalid key subscript in {}: {}", path, join(problems, ";")));
  }
  const api::View map = pod.metadata()[labels ? "labels" : "annotations"];
  return std::string(map[parts.key].text());
}

// One pair a line, by key: `app="web"`.
std::string whole_map(api::View map) {
  std::map<std::string_view, std::string_view> sorted;
  for (const json::Member& member : map.members()) {
    sorted[member.key] = api::View(member.value).text();
  }
  std::string text;
  for (const auto& [key, value] : sorted) {
    if (!text.empty()) text += '\n';
    text += key;
    text += '=';
    text += api::quoted(value);
  }
  return text;
}

// At most one address a family, that of the node first (upstream's sortPodIPs).
std::vector<std::string> addresses_of(const Pod& pod, const PodFacts& facts) {
  if (facts.addresses.empty() && pod.uses_host_network()) return facts.host_addresses;
  bool v4 = true;
  if (!facts.host_addresses.empty()) {
    const auto node = parse_ip(facts.host_addresses.front());
    v4 = !node || node->is_v4();
  }
  std::vector<std::string> sorted;
  for (const bool wanted : {v4, !v4}) {
    for (const std::string& text : facts.addresses) {
      const auto address = parse_ip(text);
      if (!address || address->is_v4() != wanted) continue;
      sorted.push_back(address->str());
      break;
    }
  }
  return sorted;
}

std::string first(const std::vector<std::string>& list) {
  return list.empty() ? std::string() : list.front();
}

// What the API knows by name and no container can ask for.
bool is_known(std::string_view path) {
  return path == "spec.restartPolicy" || path == "spec.schedulerName" || path == "status.phase";
}

enum class Asked : uint8_t { kByVariable, kByVolume };

// The limit of containers without one.
api::Quantity bound_of_others(const Pod& pod, const PodFacts& facts, std::string_view resource,
                              Asked asked) {
  // Volumes use only the node (upstream's ExtractResourceValueByContainerNameAndNodeAllocatable).
  if (asked == Asked::kByVariable && resource != "ephemeral-storage") {
    const auto of_pod = api::Quantity::parse(pod.spec()["resources"]["limits"][resource].text("0"));
    if (of_pod && !of_pod->is_zero()) return *of_pod;
  }
  if (resource == "cpu") return facts.allocatable_cpu;
  return resource == "memory" ? facts.allocatable_memory : facts.allocatable_storage;
}

struct Named {
  api::View container;
  bool is_init = false;
};

Result<Named> find_named(const Pod& pod, std::string_view name) {
  for (const api::View container : pod.spec()["containers"].items()) {
    if (container["name"].text() == name) return Named{container, false};
  }
  for (const api::View container : pod.spec()["initContainers"].items()) {
    if (container["name"].text() == name) return Named{container, true};
  }
  return unsupported(fmt::format("container {} not found", name));
}

// In units of the divisor, rounded up. Through double, as upstream divides.
std::string divide(const api::Quantity& amount, api::View divisor, bool is_cpu) {
  const auto read = api::Quantity::parse(divisor.text("1"));
  const api::Quantity unit = read && !read->is_zero() ? *read : api::Quantity(1);
  const auto count = [is_cpu](const api::Quantity& quantity) {
    return static_cast<double>(is_cpu ? quantity.milli_value() : quantity.value());
  };
  const double units = std::ceil(count(amount) / count(unit));
  // What int64 does not hold: a divisor of less than one.
  if (units >= 9223372036854775807.0) return "9223372036854775807";
  return std::to_string(static_cast<int64_t>(units));
}

}  // namespace downward_api

Result<std::string> field_value(const Pod& pod, const PodFacts& facts, std::string_view path) {
  if (const auto parts = kinds::pods::split_subscript(path)) {
    return downward_api::one_of_map(pod, path, *parts);
  }
  if (path == "metadata.name") return std::string(pod.name());
  if (path == "metadata.namespace") return std::string(pod.name_space());
  if (path == "metadata.uid") return pod.uid().str();
  if (path == "metadata.labels") return downward_api::whole_map(pod.metadata()["labels"]);
  if (path == "metadata.annotations") return downward_api::whole_map(pod.metadata()["annotations"]);
  if (path == "spec.nodeName" || path == "spec.host") {
    return std::string(pod.spec()["nodeName"].text(facts.node_name.view()));
  }
  if (path == "spec.serviceAccountName") {
    return std::string(pod.spec()["serviceAccountName"].text());
  }
  if (path == "status.hostIP") return downward_api::first(facts.host_addresses);
  if (path == "status.hostIPs") return join(facts.host_addresses, ",");
  if (path == "status.podIP") return downward_api::first(downward_api::addresses_of(pod, facts));
  if (path == "status.podIPs") return join(downward_api::addresses_of(pod, facts), ",");
  if (downward_api::is_known(path)) {
    return downward_api::unsupported(fmt::format("unsupported fieldPath: {}", path));
  }
  return downward_api::unsupported(fmt::format("field label not supported: {}", path));
}

Result<std::string> resource_value(const Pod& pod, const PodFacts& facts, api::View container,
                                   api::View reference) {
  const downward_api::Asked asked =
      container ? downward_api::Asked::kByVariable : downward_api::Asked::kByVolume;
  downward_api::Named named{container, false};
  if (const std::string_view name = reference["containerName"].text(); !name.empty()) {
    named = TRY(downward_api::find_named(pod, name));
  }
  const std::string_view asked_for = reference["resource"].text();
  const auto halves = split_once(asked_for, '.');
  const bool limits = halves && halves->before == "limits";
  const std::string_view resource = halves ? halves->after : "";
  const bool has_default =
      resource == "cpu" || resource == "memory" || resource == "ephemeral-storage";
  if ((!limits && !asked_for.starts_with("requests.")) ||
      (!has_default && !kinds::pods::is_huge_page_resource(resource))) {
    return downward_api::unsupported(fmt::format("unsupported container resource : {}", asked_for));
  }
  const api::View list = named.container["resources"][limits ? "limits" : "requests"];
  const auto read = api::Quantity::parse(list[resource].text("0"));
  api::Quantity amount = read ? *read : api::Quantity();
  // A variable that names an init container gets no default (upstream's
  // defaultPodLimitsForDownwardAPI fills in those of regular containers only).
  const bool filled_in = !named.is_init || asked == downward_api::Asked::kByVolume;
  if (limits && has_default && filled_in && amount.is_zero()) {
    amount = downward_api::bound_of_others(pod, facts, resource, asked);
  }
  return downward_api::divide(amount, reference["divisor"], resource == "cpu");
}

}  // namespace proa::kubelet
