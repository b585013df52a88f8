#include "kubelet/pod/volumes/local_volume_remover.h"

#include <algorithm>

#include "api/object/edit.h"
#include "base/log.h"
#include "kinds/core/volumes/local_path.h"
#include "kinds/core/volumes/volume_facts.h"
#include "kubelet/host/mounts/tree_removal.h"
#include "kubelet/pod/volumes/plugins/host_path.h"
#include "kubelet/pod/volumes/plugins/local_volume.h"

namespace proa::kubelet {
namespace local_volume_remover {

const Log kLog{"kubelet"};
// Before a volume is checked again that a pod still has mounted: no event tells that it is gone.
constexpr Duration kMountedRetryDelay = std::chrono::seconds(5);
// While a volume has it, a claim may be bound to the volume.
constexpr std::string_view kProtection = "kubernetes.io/pv-protection";

bool has_finalizer(api::View metadata, std::string_view name) {
  const auto finalizers = metadata["finalizers"].items();
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [name](api::View one) { return one.text() == name; });
}

// Whether it is the directory that the provisioner made up for this volume.
bool is_own_path(api::View volume, std::string_view path) {
  const std::string name = "pvc-" + std::string(volume["spec"]["claimRef"]["uid"].text());
  return path.starts_with('/') && !has_backsteps(path) && path.find('\0') == path.npos &&
         volume["metadata"]["name"].text() == name && path.ends_with("/" + name) &&
         !volume["spec"]["claimRef"]["uid"].text().empty();
}

}  // namespace local_volume_remover

LocalVolumePlan plan_local_volume(api::View volume, api::NodeNameView node) {
  using Action = LocalVolumePlan::Action;
  const api::View metadata = volume["metadata"];
  const api::View annotations = metadata["annotations"];
  const bool is_ours = annotations[kinds::kLocalPathNode].text() == node.view() &&
                       annotations[kinds::kProvisionedBy].text() == kinds::kLocalPath &&
                       local_volume_remover::has_finalizer(metadata, kinds::kLocalPath);
  if (!is_ours || !metadata["deletionTimestamp"]) return {};
  const bool bound =
      local_volume_remover::has_finalizer(metadata, local_volume_remover::kProtection) ||
      volume["status"]["phase"].text() == "Bound";
  if (bound) return {};
  const api::View spec = volume["spec"];
  const std::string_view path = spec["local"]["path"].text();
  const bool removes = spec["persistentVolumeReclaimPolicy"].text() == "Delete" &&
                       local_volume_remover::is_own_path(volume, path);
  if (!removes) return {.action = Action::kRelease};
  return {.action = Action::kRemove, .path = std::string(path)};
}

Result<bool> LocalVolumeRemover::is_mounted(const std::string& volume) const {
  const Result<std::vector<std::string>> pods = context_.files.list(context_.paths.pods());
  if (pods.is(Reason::kNotFound)) return false;
  if (!pods.ok()) return pods.status();
  for (const std::string& pod : *pods) {
    const bool there = TRY(context_.files.exists(
        context_.paths.volume(api::UidView(pod), kLocalVolumePlugin, volume)));
    if (there) return true;
  }
  return false;
}

Result<void> LocalVolumeRemover::release(const std::string& volume, json::Document document) const {
  const api::Edit metadata = api::Edit(document).object("metadata");
  json::Value left = json::Value::array();
  for (const api::View one : metadata["finalizers"].items()) {
    if (one.text() == kinds::kLocalPath) continue;
    left.push_back(document.arena(), one.value()->copy(document.arena()));
  }
  metadata.set("finalizers", std::move(left));
  const client::Place place{
      .resource = &context_.volumes, .name_space = {}, .name = volume, .subresource = {}};
  const auto updated = context_.client.update(place, std::move(document), {});
  if (updated.ok() || updated.is(Reason::kNotFound)) return {};
  return updated.status();
}

Result<client::Again> LocalVolumeRemover::reconcile(const client::Key& key) {
  const api::ObjectPtr volume = context_.find(key.name);
  if (volume == nullptr) return client::Again{};
  json::Document document = TRY(volume->document());
  const LocalVolumePlan plan = plan_local_volume(document.root(), context_.node);
  if (plan.action == LocalVolumePlan::Action::kNone) return client::Again{};
  if (plan.action == LocalVolumePlan::Action::kRemove) {
    const bool mounted = TRY(is_mounted(key.name));
    if (mounted) return client::Again{local_volume_remover::kMountedRetryDelay};
    TRY(remove_tree(plan.path));
    // Of a cluster that was restored into another data directory.
    TRY(remove_tree(context_.root + "/" + key.name));
    local_volume_remover::kLog.info("directory of a deleted volume removed",
                                    {{"volume", key.name}, {"path", plan.path}});
  }
  TRY(release(key.name, std::move(document)));
  return client::Again{};
}

}  // namespace proa::kubelet
