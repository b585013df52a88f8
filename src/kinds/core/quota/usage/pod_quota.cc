#include "kinds/core/quota/usage/pod_quota.h"

#include <algorithm>
#include <array>

#include "kinds/core/quota/usage/pod_amounts.h"
#include "kinds/core/resources/resources.h"

namespace proa::kinds::quota {
namespace pod_quota {

using api::View;

constexpr std::string_view kCount = "count/pods";
constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kLimits = "limits.";
constexpr std::array<std::string_view, 3> kCompute{"cpu", "memory", "ephemeral-storage"};

// If these are limited, each container must set them. Upstream keeps this for compatibility only.
constexpr std::array<std::string_view, 6> kMustBeSaid{"cpu",    "limits.cpu",   "limits.memory",
                                                      "memory", "requests.cpu", "requests.memory"};

std::string joined(std::string_view prefix, std::string_view name) {
  return std::string(prefix) + std::string(name);
}

// Quota names of container resources.
Amounts named_for_quotas(const Amounts& requests, const Amounts& limits) {
  Amounts amounts;
  for (const std::string_view name : kCompute) {
    if (const auto request = requests.find(name); request != requests.end()) {
      amounts.emplace(name, request->second);
      amounts.emplace(joined(kRequests, name), request->second);
    }
    if (const auto limit = limits.find(name); limit != limits.end()) {
      amounts.emplace(joined(kLimits, name), limit->second);
    }
  }
  for (const auto& [name, quantity] : requests) {
    const bool huge = kinds::pods::is_huge_page_resource(name);
    if (huge) amounts.emplace(name, quantity);
    if (huge || kinds::pods::is_extended_resource(name) || name.starts_with(kDeviceClassPrefix)) {
      amounts.emplace(joined(kRequests, name), quantity);
    }
  }
  return amounts;
}

bool is_terminating(View pod) { return pod["spec"]["activeDeadlineSeconds"].integer(-1) >= 0; }

bool is_best_effort(View pod) {
  const std::string_view known = pod["status"]["qosClass"].text();
  return (known.empty() ? kinds::pods::quality_of_service(pod["spec"]) : known) == "BestEffort";
}

bool is_cross_namespace(View term) {
  return !term["namespaces"].empty() || term["namespaceSelector"].exists();
}

bool has_cross_namespace_terms(View affinity) {
  for (const View term : affinity["requiredDuringSchedulingIgnoredDuringExecution"].items()) {
    if (is_cross_namespace(term)) return true;
  }
  for (const View term : affinity["preferredDuringSchedulingIgnoredDuringExecution"].items()) {
    if (is_cross_namespace(term["podAffinityTerm"])) return true;
  }
  return false;
}

// Whether the pod has terminated, or is long past its deletion on an unreachable node.
bool is_over(View pod, Time now) {
  const std::string_view phase = pod["status"]["phase"].text();
  if (phase == "Failed" || phase == "Succeeded") return true;
  const View metadata = pod["metadata"];
  if (!metadata["deletionGracePeriodSeconds"]) return false;
  const Result<Time> deletion = parse_time(metadata["deletionTimestamp"].text());
  if (!deletion) return false;
  // Like upstream's QuotaV1Pod, adds the grace period although the timestamp includes it. Clamped
  // against overflow.
  constexpr int64_t kDay = 86400;
  const int64_t grace =
      std::clamp<int64_t>(metadata["deletionGracePeriodSeconds"].integer(), 0, 365 * kDay);
  return *deletion < now - std::chrono::seconds(grace);
}

}  // namespace pod_quota

bool is_extended_quota_name(std::string_view name) {
  if (!name.starts_with(pod_quota::kRequests)) return false;
  return !kinds::pods::is_native_resource(name) ||
         name.substr(pod_quota::kRequests.size()).starts_with(kDeviceClassPrefix);
}

bool PodQuota::measures(std::string_view name, const ClusterObjects&) const {
  if (name == pod_quota::kCount || name == "pods") return true;
  for (const std::string_view prefix :
       {std::string_view(), pod_quota::kRequests, pod_quota::kLimits}) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view rest = name.substr(prefix.size());
    if (std::find(pod_quota::kCompute.begin(), pod_quota::kCompute.end(), rest) !=
        pod_quota::kCompute.end()) {
      return true;
    }
    if (prefix != pod_quota::kLimits && kinds::pods::is_huge_page_resource(rest)) return true;
  }
  return is_extended_quota_name(name);
}

bool PodQuota::concerns(const Change& change) const {
  if (change.subresource == "resize") return change.is_update();
  if (!change.subresource.empty()) return false;
  return !change.is_update() ||
         pod_quota::is_terminating(change.object) != pod_quota::is_terminating(change.old);
}

bool PodQuota::is_in_scope(api::View pod, const ScopeRule& rule) const {
  if (rule.scope == "Terminating") return pod_quota::is_terminating(pod);
  if (rule.scope == "NotTerminating") return !pod_quota::is_terminating(pod);
  if (rule.scope == "BestEffort") return pod_quota::is_best_effort(pod);
  if (rule.scope == "NotBestEffort") return !pod_quota::is_best_effort(pod);
  const api::View spec = pod["spec"];
  if (rule.scope == "CrossNamespacePodAffinity") {
    return pod_quota::has_cross_namespace_terms(spec["affinity"]["podAffinity"]) ||
           pod_quota::has_cross_namespace_terms(spec["affinity"]["podAntiAffinity"]);
  }
  if (rule.scope != "PriorityClass") return false;
  const std::string name(spec["priorityClassName"].text());
  return name.empty() ? rule.selects({}) : rule.selects({name});
}

std::string PodQuota::missing(api::View pod, const ResourceNames& names) const {
  const api::View spec = pod["spec"];
  if (has_pod_level_resources(spec)) return {};
  std::map<std::string_view, ResourceNames> containers_without;
  for (const char* list : {"containers", "initContainers"}) {
    for (const api::View container : spec[list].items()) {
      const api::View resources = container["resources"];
      const Amounts requests = pod_quota::named_for_quotas(read_amounts(resources["requests"]),
                                                           read_amounts(resources["limits"]));
      for (const std::string_view name : pod_quota::kMustBeSaid) {
        if (!names.contains(name) || requests.contains(name)) continue;
        containers_without[name].emplace(container["name"].text());
      }
    }
  }
  std::string text;
  for (const auto& [name, containers] : containers_without) {
    text += (text.empty() ? "must specify " : "; ") + std::string(name) +
            " for: " + text_of(containers);
  }
  return text;
}

Amounts usage_of_pod(api::View pod, Time now) {
  Amounts amounts;
  if (!pod_quota::is_over(pod, now)) {
    const PodAmounts asked = amounts_of_pod(pod);
    amounts = pod_quota::named_for_quotas(asked.requests, asked.limits);
    amounts.emplace("pods", api::Quantity(1));
  }
  amounts.emplace(pod_quota::kCount, api::Quantity(1));
  return amounts;
}

Result<Amounts> PodQuota::usage(api::View pod, const ClusterObjects& cluster) const {
  return usage_of_pod(pod, cluster.now());
}

}  // namespace proa::kinds::quota
