#include "scheduler/plugins/volumes/binding/provisioning.h"

#include <algorithm>

#include "api/object/view.h"
#include "api/quantity.h"
#include "api/selector/label_selector.h"

namespace proa::scheduler {
namespace provisioning {

using api::View;
using Requirement = api::LabelSelector::Requirement;

// allowedTopologies of a class: any of the terms, and of a term all requirements.
struct Topologies {
  bool anywhere = true;  // the class has none
  std::vector<std::vector<Requirement>> terms = {};
};

Topologies read_topologies(const api::Object& storage_class) {
  Topologies topologies;
  const Result<json::Document> document = storage_class.document();
  if (!document) return topologies;
  for (const View term : View(document->root())["allowedTopologies"].items()) {
    topologies.anywhere = false;
    std::vector<Requirement> requirements;
    for (const View one : term["matchLabelExpressions"].items()) {
      Requirement& requirement = requirements.emplace_back();
      requirement.key = one["key"].text();
      requirement.op = api::LabelSelector::Operator::kIn;
      for (const View value : one["values"].items()) requirement.values.emplace_back(value.text());
      std::sort(requirement.values.begin(), requirement.values.end());
    }
    // An empty term allows no node.
    if (!requirements.empty()) topologies.terms.push_back(std::move(requirements));
  }
  return topologies;
}

// A CSIStorageCapacity.
struct Pool {
  std::string storage_class = {};
  std::optional<int64_t> largest = std::nullopt;
  api::LabelSelector nodes = api::LabelSelector::nothing();
};

Pool read_pool(const api::Object& capacity) {
  Pool pool;
  const Result<json::Document> document = capacity.document();
  if (!document) return pool;
  const View root = document->root();
  pool.storage_class = root["storageClassName"].text();
  const View limit = root["maximumVolumeSize"] ? root["maximumVolumeSize"] : root["capacity"];
  if (limit) {
    const Result<api::Quantity> quantity = api::Quantity::parse(limit.text());
    if (quantity) pool.largest = quantity->value();
  }
  Result<api::LabelSelector> nodes = api::LabelSelector::from(root["nodeTopology"]);
  if (nodes) pool.nodes = std::move(*nodes);
  return pool;
}

const Pool& pool_of(const api::Object& capacity) {
  return capacity.kept<Pool>([&] { return read_pool(capacity); });
}

bool tracks_capacity(const api::ObjectPtr& driver) {
  if (driver == nullptr) return false;
  const Result<json::Document> document = driver->document();
  return document && View(document->root())["spec"]["storageCapacity"].flag();
}

}  // namespace provisioning

std::optional<int64_t> largest_volume(const api::Object& capacity) {
  return provisioning::pool_of(capacity).largest;
}

bool allows(const api::Object& storage_class, const api::Metadata& node) {
  using provisioning::Topologies;
  const Topologies& topologies =
      storage_class.kept<Topologies>([&] { return provisioning::read_topologies(storage_class); });
  if (topologies.anywhere) return true;
  return std::any_of(topologies.terms.begin(), topologies.terms.end(), [&](const auto& term) {
    return std::all_of(term.begin(), term.end(),
                       [&](const auto& one) { return one.matches(node.label(one.key)); });
  });
}

Provisioning::Provisioning(const StorageState& storage, const kinds::ClaimFacts& claim) {
  const std::string class_name(claim.class_name());
  if (class_name.empty()) {
    error_ = "no class for claim \"" + claim.name_space + "/" + claim.name + "\"";
    return;
  }
  its_class_ = storage.classes.get({"", class_name});
  if (its_class_ == nullptr) {
    error_ = "failed to find storage class \"" + class_name + "\"";
    return;
  }
  const std::string& provisioner = kinds::class_facts(*its_class_).provisioner;
  if (provisioner.empty() || provisioner == "kubernetes.io/no-provisioner") {
    its_class_ = nullptr;
    return;
  }
  // A claim without a request fits everywhere, and drivers need not publish their capacity.
  needs_space_ = !claim.request.is_zero() &&
                 provisioning::tracks_capacity(storage.drivers.get({"", provisioner}));
  if (needs_space_) find_pools(storage, claim);
}

void Provisioning::find_pools(const StorageState& storage, const kinds::ClaimFacts& claim) {
  const int64_t size = claim.request.value();
  for (api::ObjectPtr& capacity : storage.capacities.list()) {
    const provisioning::Pool& pool = provisioning::pool_of(*capacity);
    if (pool.storage_class == claim.class_name() && pool.largest && *pool.largest >= size) {
      pools_.push_back(std::move(capacity));
    }
  }
}

Provisioning::Answer Provisioning::ask(const api::Metadata& node) const {
  if (its_class_ == nullptr || !allows(*its_class_, node)) return Answer::kNotThere;
  if (!needs_space_) return Answer::kYes;
  const bool found = std::any_of(pools_.begin(), pools_.end(), [&](const api::ObjectPtr& pool) {
    return provisioning::pool_of(*pool).nodes.matches(node.labels);
  });
  return found ? Answer::kYes : Answer::kNoSpace;
}

}  // namespace proa::scheduler
