#include "scheduler/plugins/volumes/binding/binding_hints.h"

#include <algorithm>

#include "scheduler/plugins/volumes/binding/provisioning.h"
#include "scheduler/plugins/volumes/csi_state.h"
#include "scheduler/plugins/volumes/pod_volumes.h"

namespace proa::scheduler {
namespace binding_hints {

using api::View;

bool lets_more_space_be(const api::Object* before, const api::Object& after) {
  if (before == nullptr) return true;
  const std::optional<int64_t> was = largest_volume(*before);
  const std::optional<int64_t> is = largest_volume(after);
  return is && (!was || *is > *was);
}

View field_of(const Result<json::Document>& document, std::string_view path) {
  return document ? View(document->root()).at(path) : View();
}

bool differ(const api::Object& a, const api::Object& b, std::string_view path) {
  const Result<json::Document> first = a.document();
  const Result<json::Document> second = b.document();
  return !(field_of(first, path) == field_of(second, path));
}

// As upstream's isSchedulableAfterCSIDriverChange(): only for volumes without a claim.
bool stops_counting(const Pod& pod, const api::Object* before, const api::Object& after) {
  const std::vector<PodVolume>& volumes = volumes_of(pod);
  const bool uses = std::any_of(volumes.begin(), volumes.end(), [&](const PodVolume& volume) {
    return volume.kind == PodVolume::Kind::kCsi && volume.name == after.metadata().name;
  });
  if (!uses || before == nullptr) return false;
  const Result<json::Document> was = before->document();
  const Result<json::Document> is = after.document();
  return field_of(was, "spec.storageCapacity").flag() &&
         !field_of(is, "spec.storageCapacity").flag();
}

}  // namespace binding_hints

bool may_help_binding(const Pod& pod, const ClusterEvent& event) {
  using namespace binding_hints;
  if (event.new_object == nullptr) return true;
  const api::Object* before = event.old_object;
  const api::Object& after = *event.new_object;
  switch (event.resource) {
    case EventResource::kStorageClass:
      return before == nullptr || differ(*before, after, "allowedTopologies");
    case EventResource::kPersistentVolumeClaim:
      return uses_claim(pod, after, true);
    case EventResource::kCsiNode:
      return before == nullptr ||
             csi_node_facts(*before).migrated != csi_node_facts(after).migrated;
    case EventResource::kCsiDriver:
      return stops_counting(pod, before, after);
    case EventResource::kCsiStorageCapacity:
      return lets_more_space_be(before, after);
    default:
      return true;
  }
}

}  // namespace proa::scheduler
