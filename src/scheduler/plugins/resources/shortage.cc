#include "scheduler/plugins/resources/shortage.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/quantity.h"

namespace proa::scheduler {

namespace shortage {

constexpr size_t kPods = 0;
constexpr size_t kCpu = 1;
constexpr size_t kMemory = 2;
constexpr size_t kEphemeralStorage = 3;
constexpr size_t kOthers = 4;  // and on

// As people write it.
std::string amount_text(size_t resource, std::string_view name, int64_t amount) {
  if (resource == kCpu) return api::Quantity::milli(amount).str();
  const bool bytes = resource == kMemory || resource == kEphemeralStorage ||
                     kinds::pods::is_huge_page_resource(name);
  const auto format = bytes ? api::QuantityFormat::kBinarySi : api::QuantityFormat::kDecimalSi;
  return api::Quantity(amount, format).str();
}

}  // namespace shortage

bool Demand::others_fit(const Node& node) const {
  const Resources& total = node.facts().allocatable;
  const Resources& used = node.requested();
  return std::all_of(request_.others.begin(), request_.others.end(), [&](const auto& one) {
    return one.second <= total.other(one.first) - used.other(one.first);
  });
}

void Demand::list_shortages(const Node& node, std::vector<Shortage>& shortages) const {
  shortages.clear();
  const auto compare = [&](size_t resource, int64_t requested, int64_t used, int64_t capacity) {
    if (requested <= 0 || requested <= capacity - used) return;
    shortages.push_back({.resource = resource,
                         .requested = requested,
                         .used = used,
                         .capacity = capacity,
                         .unresolvable = resource != shortage::kPods && requested > capacity});
  };
  const Resources& total = node.facts().allocatable;
  const Resources& used = node.requested();
  compare(shortage::kPods, 1, static_cast<int64_t>(node.pods().size()), node.facts().allowed_pods);
  compare(shortage::kCpu, request_.milli_cpu, used.milli_cpu, total.milli_cpu);
  compare(shortage::kMemory, request_.memory, used.memory, total.memory);
  compare(shortage::kEphemeralStorage, request_.ephemeral_storage, used.ephemeral_storage,
          total.ephemeral_storage);
  for (size_t i = 0; i < request_.others.size(); ++i) {
    const auto& [name, requested] = request_.others[i];
    compare(shortage::kOthers + i, requested, used.other(name), total.other(name));
  }
}

std::string_view Demand::name(size_t resource) const {
  switch (resource) {
    case shortage::kPods:
      return "pods";
    case shortage::kCpu:
      return "cpu";
    case shortage::kMemory:
      return "memory";
    case shortage::kEphemeralStorage:
      return "ephemeral-storage";
    default:
      return request_.others[resource - shortage::kOthers].first;
  }
}

std::string Demand::reason(const Shortage& shortage) const {
  if (shortage.resource == shortage::kPods) return "Too many pods";
  return fmt::format("Insufficient {}", name(shortage.resource));
}

std::string Demand::describe(const Shortage& shortage) const {
  const auto text = [&](int64_t amount) {
    return shortage::amount_text(shortage.resource, name(shortage.resource), amount);
  };
  if (shortage.resource == shortage::kPods) {
    return fmt::format("has {} of at most {} pod{}: remove one, or raise its --max-pods",
                       text(shortage.used), text(shortage.capacity),
                       shortage.capacity == 1 ? "" : "s");
  }
  const int64_t free = std::max<int64_t>(0, shortage.capacity - shortage.used);
  std::string facts = fmt::format("needs {} {}, has {} free of {}", text(shortage.requested),
                                  name(shortage.resource), text(free), text(shortage.capacity));
  if (shortage.requested > shortage.capacity) return facts + ": request less, or use a larger node";
  return facts + ": free " + text(shortage.requested + shortage.used - shortage.capacity) +
         ", or request less";
}

bool fits_empty(const Resources& request, const NodeFacts& node) {
  const Resources& total = node.allocatable;
  return node.allowed_pods > 0 &&
         (request.milli_cpu <= 0 || request.milli_cpu <= total.milli_cpu) &&
         (request.memory <= 0 || request.memory <= total.memory) &&
         (request.ephemeral_storage <= 0 || request.ephemeral_storage <= total.ephemeral_storage) &&
         std::all_of(request.others.begin(), request.others.end(),
                     [&](const auto& one) { return one.second <= total.other(one.first); });
}

}  // namespace proa::scheduler
