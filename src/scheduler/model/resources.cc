#include "scheduler/model/resources.h"

#include <algorithm>

#include "json/cursor.h"

namespace proa::scheduler {

namespace resources {

using api::Quantity;
using api::RawJson;
using kinds::pods::add;
using kinds::pods::Amounts;
using kinds::pods::take_larger;

// The resources that are counted beside cpu, memory and ephemeral storage; upstream's
// IsScalarResourceName.
bool is_counted(std::string_view name) {
  return kinds::pods::is_huge_page_resource(name) ||
         name.find("kubernetes.io/") != std::string_view::npos ||
         name.starts_with("attachable-volumes-") || kinds::pods::is_extended_resource(name);
}

// A resize that the kubelet reports as infeasible does not count.
bool resize_is_infeasible(const objects::PodStatus& status) {
  const objects::PodCondition* pending = status.condition("PodResizePending");
  return pending != nullptr && pending->reason == "Infeasible";
}

// The maximum of the requests in the spec, those in effect and those allocated by the kubelet.
Amounts effective(RawJson requests, RawJson running, RawJson allocated, bool infeasible) {
  Amounts most = infeasible ? Amounts() : read_amounts(requests);
  take_larger(most, read_amounts(running));
  take_larger(most, read_amounts(allocated));
  return most;
}

struct Container {
  enum class Sort : uint8_t { kRegular, kInit, kSidecar };
  Sort sort = Sort::kRegular;
  Amounts requests = {};
};

Amounts container_requests(const objects::Container& container,
                           const std::vector<objects::ContainerStatus>& statuses, bool infeasible) {
  const RawJson requests = container.resources.requests;
  const auto status =
      std::find_if(statuses.begin(), statuses.end(),
                   [&](const objects::ContainerStatus& one) { return one.name == container.name; });
  if (status == statuses.end() || !status->resources) return read_amounts(requests);
  return effective(requests, status->resources->requests, status->allocated, infeasible);
}

// In the order in which they start: init containers first.
std::vector<Container> read_containers(const objects::PodSpec& spec,
                                       const objects::PodStatus& status, bool infeasible) {
  std::vector<Container> all;
  all.reserve(spec.init_containers.size() + spec.containers.size());
  for (const objects::Container& container : spec.init_containers) {
    // Of the init containers, only sidecars can be resized.
    if (container.is_sidecar()) {
      all.push_back(
          {.sort = Container::Sort::kSidecar,
           .requests = container_requests(container, status.init_containers, infeasible)});
    } else {
      all.push_back(
          {.sort = Container::Sort::kInit, .requests = read_amounts(container.resources.requests)});
    }
  }
  for (const objects::Container& container : spec.containers) {
    all.push_back({.requests = container_requests(container, status.containers, infeasible)});
  }
  return all;
}

// The peak of all containers. `defaults` apply where a container does not mention a resource; a
// request of "0" mentions it.
Amounts sum_up(const std::vector<Container>& containers, const Amounts& defaults) {
  Amounts running;   // sidecars and regular containers
  Amounts starting;  // the maximum of each init container plus the sidecars before it
  for (const Container& container : containers) {
    Amounts requests = container.requests;
    requests.insert(defaults.begin(), defaults.end());
    if (container.sort == Container::Sort::kInit) {
      add(requests, running);
      take_larger(starting, requests);
    } else {
      add(running, requests);
    }
  }
  take_larger(running, starting);
  return running;
}

// Pod-level requests replace those of the containers.
Amounts pod_level_requests(const objects::PodSpec& spec, const objects::PodStatus& status,
                           bool infeasible) {
  const RawJson in_spec = spec.resources.requests;
  Amounts requests = read_amounts(in_spec);
  std::erase_if(requests, [](const auto& amount) {
    return !kinds::pods::is_pod_level_resource(amount.first);
  });
  if (requests.empty() || !status.resources) return requests;
  const Amounts in_effect =
      effective(in_spec, status.resources->requests, status.allocated, infeasible);
  for (auto& [name, quantity] : requests) {
    const auto found = in_effect.find(name);
    quantity = found == in_effect.end() ? Quantity() : found->second;
  }
  return requests;
}

Amounts total(const std::vector<Container>& containers, const Amounts& defaults,
              const Amounts& pod_level, const Amounts& overhead) {
  Amounts sum = sum_up(containers, defaults);
  for (const auto& [name, quantity] : pod_level) sum[name] = quantity;
  add(sum, overhead);
  return sum;
}

Amounts usual_defaults() {
  return {{"cpu", Quantity::milli(kDefaultMilliCpu)}, {"memory", Quantity(kDefaultMemory)}};
}

// With pod-level requests, defaults apply only to resources that neither the pod nor a container
// mentions.
Amounts defaults_beside_pod_level(const Amounts& sum) {
  Amounts defaults = usual_defaults();
  std::erase_if(defaults, [&](const auto& amount) { return sum.contains(amount.first); });
  return defaults;
}

int64_t& place_of(std::vector<std::pair<std::string, int64_t>>& others, std::string_view name) {
  auto place = std::lower_bound(others.begin(), others.end(), name,
                                [](const auto& a, std::string_view b) { return a.first < b; });
  if (place == others.end() || place->first != name) {
    place = others.emplace(place, std::string(name), int64_t{0});
  }
  return place->second;
}

}  // namespace resources

Resources Resources::from(const kinds::pods::Amounts& amounts) {
  Resources result;
  for (const auto& [name, quantity] : amounts) {
    if (name == "cpu") {
      result.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      result.memory = quantity.value();
    } else if (name == "ephemeral-storage") {
      result.ephemeral_storage = quantity.value();
    } else if (!quantity.is_zero() && resources::is_counted(name)) {
      result.others.emplace_back(std::string(name), quantity.value());  // the map is in order
    }
  }
  return result;
}

int64_t Resources::amount(std::string_view name) const {
  if (name == "cpu") return milli_cpu;
  if (name == "memory") return memory;
  if (name == "ephemeral-storage") return ephemeral_storage;
  return other(name);
}

Resources& Resources::add(const Resources& other, int64_t sign) {
  milli_cpu += sign * other.milli_cpu;
  memory += sign * other.memory;
  ephemeral_storage += sign * other.ephemeral_storage;
  if (other.others.empty()) return *this;
  for (const auto& [name, amount] : other.others) {
    resources::place_of(others, name) += sign * amount;
  }
  std::erase_if(others, [](const auto& amount) { return amount.second == 0; });
  return *this;
}

kinds::pods::Amounts read_amounts(api::RawJson list) {
  kinds::pods::Amounts amounts;
  if (list.empty()) return amounts;
  json::Cursor cursor(list.text);
  if (!cursor.enter_object()) return amounts;
  while (cursor.next_member()) {
    const std::string_view name = cursor.key();
    const std::optional<std::string_view> text = cursor.string();
    if (!text) {
      cursor.skip();
      continue;
    }
    Result<api::Quantity> quantity = api::Quantity::parse(*text);
    if (quantity) amounts.emplace(name, *std::move(quantity));
  }
  return amounts;
}

PodRequests read_requests(const objects::PodSpec& spec, const objects::PodStatus& status) {
  const bool infeasible = resources::resize_is_infeasible(status);
  const auto containers = resources::read_containers(spec, status, infeasible);
  const auto pod_level = resources::pod_level_requests(spec, status, infeasible);
  const auto overhead = read_amounts(spec.overhead);

  const auto sum = resources::total(containers, {}, pod_level, overhead);
  const auto newcomer = resources::total(containers, resources::usual_defaults(), {}, overhead);
  PodRequests requests{.exact = Resources::from(sum), .scored_newcomer = Resources::from(newcomer)};
  requests.scored_milli_cpu = requests.scored_newcomer.milli_cpu;
  requests.scored_memory = requests.scored_newcomer.memory;
  if (pod_level.empty()) return requests;
  const auto defaults = resources::defaults_beside_pod_level(sum);
  const auto scored = Resources::from(resources::total(containers, defaults, pod_level, overhead));
  requests.scored_milli_cpu = scored.milli_cpu;
  requests.scored_memory = scored.memory;
  return requests;
}

}  // namespace proa::scheduler
