#include "kinds/core/quota/usage/volume_claim_quota.h"

#include <optional>

namespace proa::kinds::quota {
namespace volume_claim_quota {

using api::Quantity;
using api::View;

constexpr std::string_view kCount = "count/persistentvolumeclaims";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "requests.storage";
constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
constexpr const char* kOldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

bool is_of_class(std::string_view name, std::string_view what) {
  return name.ends_with(std::string(kOfClass) + std::string(what));
}

std::string_view storage_class_of(View claim) {
  const View annotation = claim["metadata"]["annotations"][kOldClassAnnotation];
  return annotation ? annotation.text() : claim["spec"]["storageClassName"].text();
}

// Rounds up to bytes.
std::optional<Quantity> read_bytes(View value) {
  const Result<Quantity> read = Quantity::parse(value.text());
  if (!read) return std::nullopt;
  const Quantity rounded(read->value(), read->format());
  return *read < rounded ? rounded : *read;
}

std::optional<Quantity> storage_of(View claim) {
  const std::optional<Quantity> wanted =
      read_bytes(claim["spec"]["resources"]["requests"]["storage"]);
  const std::optional<Quantity> given =
      read_bytes(claim["status"]["allocatedResources"]["storage"]);
  return wanted && given && *given > *wanted ? given : wanted;
}

// The current and the pending class.
std::set<std::string, std::less<>> attributes_classes_of(View claim) {
  std::set<std::string, std::less<>> names;
  const View status = claim["status"];
  for (const View name :
       {claim["spec"]["volumeAttributesClassName"], status["currentVolumeAttributesClassName"],
        status["modifyVolumeStatus"]["targetVolumeAttributesClassName"]}) {
    if (!name.text().empty()) names.emplace(name.text());
  }
  return names;
}

}  // namespace volume_claim_quota

bool VolumeClaimQuota::measures(std::string_view name, const ClusterObjects&) const {
  return name == volume_claim_quota::kCount || name == volume_claim_quota::kClaims ||
         name == volume_claim_quota::kStorage ||
         volume_claim_quota::is_of_class(name, volume_claim_quota::kClaims) ||
         volume_claim_quota::is_of_class(name, volume_claim_quota::kStorage);
}

bool VolumeClaimQuota::is_in_scope(api::View claim, const ScopeRule& rule) const {
  return rule.scope == "VolumeAttributesClass" &&
         rule.selects(volume_claim_quota::attributes_classes_of(claim));
}

Result<Amounts> VolumeClaimQuota::usage(api::View claim, const ClusterObjects&) const {
  Amounts amounts;
  amounts.emplace(volume_claim_quota::kCount, api::Quantity(1));
  amounts.emplace(volume_claim_quota::kClaims, api::Quantity(1));
  const std::optional<api::Quantity> storage = volume_claim_quota::storage_of(claim);
  if (storage) amounts.emplace(volume_claim_quota::kStorage, *storage);
  const std::string_view storage_class = volume_claim_quota::storage_class_of(claim);
  if (storage_class.empty()) return amounts;
  const std::string prefix = std::string(storage_class) + std::string(volume_claim_quota::kOfClass);
  amounts.emplace(prefix + std::string(volume_claim_quota::kClaims), api::Quantity(1));
  if (storage) amounts.emplace(prefix + std::string(volume_claim_quota::kStorage), *storage);
  return amounts;
}

}  // namespace proa::kinds::quota
