#include "kubelet/node/agent/node_resources.h"

#include <map>

#include "api/quantity.h"

namespace proa::kubelet {
namespace node_resources {

using api::Quantity;
using Amounts = std::map<std::string, Quantity, std::less<>>;

constexpr std::string_view kHugePages = "hugepages-";

Quantity bytes(int64_t amount) { return Quantity(amount, api::QuantityFormat::kBinarySi); }

// Values of others may be invalid; zero then.
Quantity amount_of(std::string_view text) {
  const Result<Quantity> amount = Quantity::parse(text);
  return amount ? *amount : Quantity();
}

Amounts read(api::View resources) {
  Amounts amounts;
  for (const json::Member& member : resources.members()) {
    amounts[std::string(member.key)] = amount_of(api::View(member.value).text());
  }
  return amounts;
}

void write(const api::Edit& status, std::string_view name, const Amounts& amounts) {
  status.remove(name);
  const api::Edit resources = status.object(name);
  for (const auto& [resource, amount] : amounts) resources.set(resource, amount.str());
}

Amounts capacity_of(api::View before, const NodeFacts& facts) {
  Amounts capacity = read(before);
  // Sizes of pages that this kernel does not know any more.
  std::erase_if(capacity, [](const auto& entry) { return entry.first.starts_with(kHugePages); });
  capacity["cpu"] = Quantity(facts.machine.cpus);
  capacity["memory"] = bytes(facts.machine.memory_bytes);
  capacity["pods"] = Quantity(facts.options.max_pods);
  for (const auto& [name, size] : facts.machine.huge_pages) capacity[name] = bytes(size);
  if (facts.disk_capacity) capacity["ephemeral-storage"] = bytes(*facts.disk_capacity);
  return capacity;
}

Amounts reserved(const NodeFacts& facts) {
  Amounts amounts;
  for (const auto* some : {&facts.options.system_reserved, &facts.options.kube_reserved}) {
    for (const auto& [resource, text] : *some) amounts[resource] += amount_of(text);
  }
  amounts["memory"] += bytes(kLeastMemory);
  if (facts.disk_capacity) {
    // In upstream's precision: its threshold is a float32.
    const double share = static_cast<double>(*facts.disk_capacity) * double{kLeastNodeDisk};
    amounts["ephemeral-storage"] += bytes(static_cast<int64_t>(share));
  }
  return amounts;
}

void take(Quantity& from, const Quantity& amount) {
  from -= amount;
  if (from.sign() < 0) from = Quantity(int64_t{0}, from.format());
}

Amounts allocatable_of(const Amounts& capacity, const NodeFacts& facts) {
  Amounts allocatable = capacity;
  for (const auto& [resource, amount] : reserved(facts)) {
    const auto found = allocatable.find(resource);
    if (found != allocatable.end()) take(found->second, amount);
  }
  // Pages reserved as huge pages are not ordinary memory.
  for (const auto& [resource, amount] : capacity) {
    if (resource.starts_with(kHugePages)) take(allocatable["memory"], amount);
  }
  return allocatable;
}

}  // namespace node_resources

void write_resources(const api::Edit& status, const NodeFacts& facts) {
  const node_resources::Amounts capacity = node_resources::capacity_of(status["capacity"], facts);
  node_resources::write(status, "capacity", capacity);
  node_resources::write(status, "allocatable", node_resources::allocatable_of(capacity, facts));
}

}  // namespace proa::kubelet
