#include "kinds/core/quota/usage/evaluator.h"

#include <algorithm>

#include "base/strings.h"
#include "kinds/core/quota/usage/device_claim_quota.h"
#include "kinds/core/quota/usage/pod_quota.h"
#include "kinds/core/quota/usage/service_quota.h"
#include "kinds/core/quota/usage/volume_claim_quota.h"

namespace proa::kinds::quota {
namespace evaluator {

constexpr std::string_view kCountPrefix = "count/";

// Counts objects.
class CountQuota final : public Evaluator {
 public:
  explicit CountQuota(std::string name, std::string_view old_name = {}) : names_{std::move(name)} {
    if (!old_name.empty()) names_.emplace(old_name);
  }

  bool measures(std::string_view name, const ClusterObjects&) const override {
    return names_.contains(name);
  }
  bool concerns(const Change& change) const override {
    return change.subresource.empty() && !change.is_update();
  }
  Result<Amounts> usage(api::View, const ClusterObjects&) const override {
    Amounts amounts;
    for (const std::string& name : names_) amounts.emplace(name, api::Quantity(1));
    return amounts;
  }

 private:
  ResourceNames names_;
};

template <typename Quota>
std::unique_ptr<const Evaluator> make() {
  return std::make_unique<Quota>();
}

struct Entry {
  std::string_view group;
  std::string_view resource;
  // Null: objects are counted, also under their older name without "count/".
  std::unique_ptr<const Evaluator> (*make)();
};

constexpr Entry kSpecial[] = {
    {"", "pods", make<PodQuota>},
    {"", "services", make<ServiceQuota>},
    {"", "persistentvolumeclaims", make<VolumeClaimQuota>},
    {"resource.k8s.io", "resourceclaims", make<DeviceClaimQuota>},
    {"", "configmaps", nullptr},
    {"", "replicationcontrollers", nullptr},
    {"", "resourcequotas", nullptr},
    {"", "secrets", nullptr},
};

// Upstream's DefaultIgnoredResources: events, and resources that are not stored.
constexpr struct {
  std::string_view group;
  std::string_view resource;
} kUncounted[] = {
    {"", "bindings"},
    {"", "componentstatuses"},
    {"", "events"},
    {"authentication.k8s.io", "selfsubjectreviews"},
    {"authentication.k8s.io", "tokenreviews"},
    {"authorization.k8s.io", "localsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "selfsubjectrulesreviews"},
    {"authorization.k8s.io", "subjectaccessreviews"},
    {"events.k8s.io", "events"},
};

const Entry* find_special(std::string_view group, std::string_view resource) {
  const auto found = std::find_if(
      std::begin(kSpecial), std::end(kSpecial),
      [&](const Entry& entry) { return entry.resource == resource && entry.group == group; });
  return found == std::end(kSpecial) ? nullptr : found;
}

// A resource and its evaluator.
struct Part {
  std::string_view group;
  std::string_view resource;
  std::unique_ptr<const Evaluator> evaluator;
};

// The evaluators that may measure some of the names. REQUIRES: `names` outlives the result.
std::vector<Part> parts_for(const ResourceNames& names, const ClusterObjects& cluster) {
  std::vector<Part> parts;
  for (const Entry& entry : kSpecial) {
    parts.push_back({entry.group, entry.resource, evaluator_of(entry.group, entry.resource)});
  }
  for (const std::string_view name : names) {
    if (!name.starts_with(kCountPrefix)) continue;
    const std::string_view what = name.substr(kCountPrefix.size());
    const auto halves = split_once(what, '.');
    const std::string_view resource = halves ? halves->before : what;
    const std::string_view group = halves ? halves->after : std::string_view();
    if (find_special(group, resource) != nullptr || !is_measured(group, resource)) continue;
    if (cluster.has(group, resource)) {
      parts.push_back({group, resource, evaluator_of(group, resource)});
    }
  }
  return parts;
}

Result<void> add_usage(const Part& part, std::string_view name_space,
                       const std::vector<ScopeRule>& scopes, const ClusterObjects& cluster,
                       Amounts& sum) {
  if (!cluster.has(part.group, part.resource)) return {};
  const auto objects = TRY(cluster.list(part.group, part.resource, name_space));
  for (const api::ObjectPtr& object : objects) {
    const json::Document document = TRY(object->document());
    if (!part.evaluator->is_in_scopes(document.root(), scopes)) continue;
    const Amounts used = TRY(part.evaluator->usage(document.root(), cluster));
    add(sum, used);
  }
  return {};
}

}  // namespace evaluator

bool Evaluator::is_in_scopes(api::View object, const std::vector<ScopeRule>& rules) const {
  return std::all_of(rules.begin(), rules.end(),
                     [&](const ScopeRule& rule) { return is_in_scope(object, rule); });
}

ResourceNames Evaluator::measured(const ResourceNames& names, const ClusterObjects& cluster) const {
  ResourceNames some;
  for (const std::string& name : names) {
    if (measures(name, cluster)) some.insert(name);
  }
  return some;
}

std::string count_name(std::string_view group, std::string_view resource) {
  std::string name = std::string(evaluator::kCountPrefix) + std::string(resource);
  if (!group.empty()) name += "." + std::string(group);
  return name;
}

bool is_measured(std::string_view group, std::string_view resource) {
  return std::none_of(
      std::begin(evaluator::kUncounted), std::end(evaluator::kUncounted),
      [&](const auto& entry) { return entry.resource == resource && entry.group == group; });
}

std::unique_ptr<const Evaluator> evaluator_of(std::string_view group, std::string_view resource) {
  const evaluator::Entry* special = evaluator::find_special(group, resource);
  if (special != nullptr && special->make != nullptr) return special->make();
  return std::make_unique<evaluator::CountQuota>(
      count_name(group, resource), special == nullptr ? std::string_view() : special->resource);
}

ResourceNames measured_names(const ResourceNames& names, const ClusterObjects& cluster) {
  ResourceNames measured;
  for (const evaluator::Part& part : evaluator::parts_for(names, cluster)) {
    measured.merge(part.evaluator->measured(names, cluster));
  }
  return measured;
}

Result<Amounts> usage_of_namespace(std::string_view name_space, const ResourceNames& names,
                                   const std::vector<ScopeRule>& scopes,
                                   const ClusterObjects& cluster) {
  Amounts sum;
  ResourceNames all;
  for (const evaluator::Part& part : evaluator::parts_for(names, cluster)) {
    const ResourceNames measured = part.evaluator->measured(names, cluster);
    if (measured.empty()) continue;
    for (const std::string& name : measured) sum.try_emplace(name);
    all.insert(measured.begin(), measured.end());
    TRY(evaluator::add_usage(part, name_space, scopes, cluster, sum));
  }
  return only(sum, all);
}

}  // namespace proa::kinds::quota
