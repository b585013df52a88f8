#include "kinds/core/quota/usage/device_claim_quota.h"

#include <algorithm>

#include "kinds/core/quota/usage/pod_quota.h"

namespace proa::kinds::quota {
namespace device_claim_quota {

using api::Quantity;
using api::View;

constexpr std::string_view kGroup = "resource.k8s.io";
constexpr std::string_view kCount = "count/resourceclaims.resource.k8s.io";
constexpr std::string_view kOfClass = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kRequests = "requests.";
constexpr const char* kForPodAnnotation = "resource.kubernetes.io/extended-resource-claim";
// The maximum number of devices per claim; also the charge of allocationMode All.
constexpr int64_t kMaxDevices = 32;

// The extended resource of each device class; empty if it has none.
using ExtendedNames = std::map<std::string, std::string, std::less<>>;

Result<ExtendedNames> read_extended_names(const ClusterObjects& cluster) {
  const auto classes = TRY(cluster.list(kGroup, "deviceclasses", ""));
  ExtendedNames names;
  for (const api::ObjectPtr& object : classes) {
    const json::Document document = TRY(object->document());
    names.emplace(object->metadata().name,
                  View(document.root())["spec"]["extendedResourceName"].text());
  }
  return names;
}

int64_t devices_of(View request) {
  const std::string_view mode = request["allocationMode"].text();
  if (mode == "ExactCount") return request["count"].integer();
  return mode == "All" ? kMaxDevices : 0;
}

std::string name_for(View request) {
  return std::string(request["deviceClassName"].text()) + std::string(kOfClass);
}

// The maximum over the alternatives, per class.
Amounts devices_by_class(View request) {
  Amounts most;
  if (request["firstAvailable"].empty()) {
    const View exactly = request["exactly"];
    if (exactly) most.emplace(name_for(exactly), Quantity(devices_of(exactly)));
    return most;
  }
  for (const View one : request["firstAvailable"].items()) {
    Amounts asked;
    asked.emplace(name_for(one), Quantity(devices_of(one)));
    take_larger(most, asked);
  }
  return most;
}

View controller_of(View metadata) {
  for (const View owner : metadata["ownerReferences"].items()) {
    if (owner["controller"].flag()) return owner;
  }
  return {};
}

bool is_for_pod(View metadata) {
  const View owner = controller_of(metadata);
  return metadata["annotations"][kForPodAnnotation].text() == "true" &&
         owner["kind"].text() == "Pod" && owner["apiVersion"].text() == "v1";
}

// Whether it is the first claim of the pod: the only one that the pod was charged for.
Result<bool> is_first_claim(View metadata, const ClusterObjects& cluster) {
  const auto place = [](View of) {
    return std::pair(of["creationTimestamp"].text(), of["name"].text());
  };
  const auto claims = TRY(cluster.list(kGroup, "resourceclaims", metadata["namespace"].text()));
  for (const api::ObjectPtr& object : claims) {
    const json::Document document = TRY(object->document());
    const View other = View(document.root())["metadata"];
    if (!is_for_pod(other)) continue;
    const bool same_pod =
        controller_of(other)["uid"].text() == controller_of(metadata)["uid"].text();
    if (same_pod && place(other) < place(metadata)) return false;
  }
  return true;
}

// What the owning pod is already charged for; empty if unknown.
Result<Amounts> charged_to_pod(View claim, const ClusterObjects& cluster) {
  const View metadata = claim["metadata"];
  if (!is_for_pod(metadata)) return Amounts();
  const View owner = controller_of(metadata);
  const auto pods = TRY(cluster.list("", "pods", metadata["namespace"].text()));
  const auto found = std::find_if(pods.begin(), pods.end(), [&](const api::ObjectPtr& pod) {
    return pod->metadata().name == owner["name"].text();
  });
  if (found == pods.end() || (*found)->metadata().uid != owner["uid"].text()) return Amounts();
  const json::Document document = TRY((*found)->document());
  const View pod = document.root();
  const View chosen = pod["status"]["extendedResourceClaimStatus"];
  if (chosen && chosen["resourceClaimName"].text() != metadata["name"].text()) return Amounts();
  if (!chosen) {
    const bool first = TRY(is_first_claim(metadata, cluster));
    if (!first) return Amounts();
  }
  return usage_of_pod(pod, cluster.now());
}

// Devices as extended resources of their class: by the implicit name and by extendedResourceName.
Amounts as_extended(const Amounts& devices, const ExtendedNames& names) {
  Amounts extended;
  for (const auto& [name, quantity] : devices) {
    const std::string_view of_class(name.data(), name.size() - kOfClass.size());
    if (of_class.empty()) continue;
    extended.emplace(
        std::string(kRequests) + std::string(kDeviceClassPrefix) + std::string(of_class), quantity);
    const auto known = names.find(of_class);
    if (known == names.end() || known->second.empty()) continue;
    extended.insert_or_assign(std::string(kRequests) + known->second, quantity);
  }
  return extended;
}

}  // namespace device_claim_quota

bool DeviceClaimQuota::measures(std::string_view name, const ClusterObjects& cluster) const {
  if (name == device_claim_quota::kCount || name.ends_with(device_claim_quota::kOfClass)) {
    return true;
  }
  if (!is_extended_quota_name(name)) return false;
  const std::string_view resource = name.substr(device_claim_quota::kRequests.size());
  const auto names = device_claim_quota::read_extended_names(cluster);
  if (!names) return false;
  return std::any_of(names->begin(), names->end(), [&](const auto& known) {
    return resource == known.second || (resource.starts_with(kDeviceClassPrefix) &&
                                        resource.substr(kDeviceClassPrefix.size()) == known.first);
  });
}

Result<Amounts> DeviceClaimQuota::usage(api::View claim, const ClusterObjects& cluster) const {
  Amounts amounts;
  for (const api::View request : claim["spec"]["devices"]["requests"].items()) {
    add(amounts, device_claim_quota::devices_by_class(request));
  }
  const auto names = TRY(device_claim_quota::read_extended_names(cluster));
  const Amounts charged = TRY(device_claim_quota::charged_to_pod(claim, cluster));
  add(amounts, growth(device_claim_quota::as_extended(amounts, names), charged));
  amounts.emplace(device_claim_quota::kCount, api::Quantity(1));
  return amounts;
}

}  // namespace proa::kinds::quota
