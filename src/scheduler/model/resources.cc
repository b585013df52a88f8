#include "scheduler/model/resources.h"

#include <algorithm>

namespace proa::scheduler {

namespace resources {

using api::Quantity;
using api::View;
using kinds::pods::add;
using kinds::pods::Amounts;
using kinds::pods::take_larger;

// What is counted beside cpu, memory and ephemeral storage; upstream's IsScalarResourceName.
bool is_counted(std::string_view name) {
  return kinds::pods::is_huge_page_resource(name) ||
         name.find("kubernetes.io/") != std::string_view::npos ||
         name.starts_with("attachable-volumes-") || kinds::pods::is_extended_resource(name);
}

// A resize that the node said it can never do does not count.
bool resize_is_infeasible(View status) {
  for (const View condition : status["conditions"].items()) {
    if (condition["type"].text() == "PodResizePending")
      return condition["reason"].text() == "Infeasible";
  }
  return false;
}

// What was asked for, what is running and what the node set aside: the most of them.
// `state` is the status of the container or of the pod, with what it really has.
Amounts effective(View asked, View state, bool infeasible) {
  Amounts most = infeasible ? Amounts() : kinds::pods::read_amounts(asked);
  take_larger(most, kinds::pods::read_amounts(state["resources"]["requests"]));
  take_larger(most, kinds::pods::read_amounts(state["allocatedResources"]));
  return most;
}

View by_name(View list, std::string_view name) {
  for (const View item : list.items()) {
    if (item["name"].text() == name) return item;
  }
  return {};
}

struct Container {
  enum class Sort : uint8_t { kRegular, kInit, kSidecar };
  Sort sort = Sort::kRegular;
  Amounts requests = {};
};

Amounts container_requests(View container, View statuses, bool infeasible) {
  const View asked = container["resources"]["requests"];
  const View status = by_name(statuses, container["name"].text());
  if (!status["resources"]) return kinds::pods::read_amounts(asked);
  return effective(asked, status, infeasible);
}

// In the order in which they start: init containers first.
std::vector<Container> read_containers(View spec, View status, bool infeasible) {
  std::vector<Container> all;
  all.reserve(spec["initContainers"].size() + spec["containers"].size());
  for (const View container : spec["initContainers"].items()) {
    const bool stays = kinds::pods::is_sidecar(container);
    // Only what goes on running can be resized.
    const View statuses = stays ? status["initContainerStatuses"] : View();
    all.push_back({.sort = stays ? Container::Sort::kSidecar : Container::Sort::kInit,
                   .requests = container_requests(container, statuses, infeasible)});
  }
  for (const View container : spec["containers"].items()) {
    all.push_back(
        {.requests = container_requests(container, status["containerStatuses"], infeasible)});
  }
  return all;
}

// What all containers need at the worst moment. `defaults` stand in where a container does not
// mention a resource; one that asks for "0" does.
Amounts sum_up(const std::vector<Container>& containers, const Amounts& defaults) {
  Amounts running;   // by the end: sidecars and regular ones
  Amounts starting;  // the most that any init container needs beside the sidecars before it
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

// What is said of the pod as a whole takes the place of what its containers say.
Amounts pod_level_requests(View spec, View status, bool infeasible) {
  const View asked = spec["resources"]["requests"];
  Amounts requests = kinds::pods::read_amounts(asked);
  std::erase_if(requests, [](const auto& amount) {
    return !kinds::pods::is_pod_level_resource(amount.first);
  });
  if (requests.empty() || !status["resources"]) return requests;
  const Amounts real = effective(asked, status, infeasible);
  for (auto& [name, quantity] : requests) {
    const auto found = real.find(name);
    quantity = found == real.end() ? Quantity() : found->second;
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

// A pod that says what it needs as a whole gets defaults only for what nobody mentions at all.
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

PodRequests read_requests(api::View spec, api::View status) {
  const bool infeasible = resources::resize_is_infeasible(status);
  const auto containers = resources::read_containers(spec, status, infeasible);
  const auto pod_level = resources::pod_level_requests(spec, status, infeasible);
  const auto overhead = kinds::pods::read_amounts(spec["overhead"]);

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
