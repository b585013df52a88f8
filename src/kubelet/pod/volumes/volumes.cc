#include "kubelet/pod/volumes/volumes.h"

#include <fmt/format.h>

#include <iterator>
#include <set>

#include "base/log.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "kubelet/host/mounts/mount_table.h"
#include "kubelet/host/mounts/tree_removal.h"
#include "kubelet/pod/volumes/container_mounts.h"
#include "kubelet/pod/volumes/plugins/claim.h"
#include "kubelet/pod/volumes/plugins/empty_dir.h"
#include "kubelet/pod/volumes/plugins/plugin.h"

namespace proa::kubelet {
namespace volumes {

const Log kLog{"kubelet"};

constexpr size_t kMostOfMountTable = size_t{64} << 20;

// Before anything is mounted: the message that upstream reports after a timeout.
Status unprocessed(std::string_view name, const Status& cause) {
  return {cause.reason(),
          fmt::format("Unable to attach or mount volumes: unmounted volumes=[{0}], unattached "
                      "volumes=[], failed to process volumes=[{0}]: {1}",
                      name, cause.message())};
}

Status unmounted(std::string_view step, std::string_view name, const Status& cause) {
  return {cause.reason(),
          fmt::format("MountVolume.{} failed for volume \"{}\" : {}", step, name, cause.message())};
}

Status no_plugin(std::string_view name, std::string_view source) {
  return {Reason::kServiceUnavailable,
          fmt::format("failed to get Plugin from volumeSpec for volume \"{}\" err=no volume plugin "
                      "matched: this node has no volumes of type {}",
                      name, source)};
}

// Others are not mounted at all.
std::set<std::string_view> used_volumes(const Pod& pod) {
  std::set<std::string_view> used;
  for (const ContainerSpec& container : containers_of(pod)) {
    for (const char* list : {"volumeMounts", "volumeDevices"}) {
      for (const api::View mount : container.view[list].items()) used.insert(mount["name"].text());
    }
  }
  return used;
}

struct Source {
  std::string_view type = "emptyDir";  // the default of a volume without a source
  api::View view = {};
};
Source source_of(api::View volume) {
  for (const json::Member& member : volume.members()) {
    if (member.key != "name" && !member.value.is_null()) {
      return {.type = member.key, .view = member.value};
    }
  }
  return {};
}

// A PersistentVolumeSpec has other fields beside its source; they are not volume types.
Source persistent_source_of(api::View spec) {
  for (const json::Member& member : spec.members()) {
    if (find_volume_plugin(member.key, true) != nullptr && !member.value.is_null()) {
      return {.type = member.key, .view = member.value};
    }
  }
  return {.type = "unknown"};
}

class NodeVolumes final : public Volumes {
 public:
  explicit NodeVolumes(Context context)
      : context_(std::move(context)),
        tokens_(context_.clock, context_.tokens),
        tools_{.clock = context_.clock,
               .objects = context_.objects,
               .tokens = tokens_,
               .trust_bundles = context_.trust_bundles,
               .paths = context_.paths,
               .local_path_root = context_.local_path_root,
               .local_volumes = local_volumes_} {}

  Result<MountedVolumes> mount(const Pod& pod, const PodFacts& facts, const Until& until) override;
  Time next_refresh(api::UidView pod_uid) override { return tokens_.next_refresh(pod_uid); }
  Result<std::vector<ContainerMount>> container_mounts(const Pod& pod, api::View container,
                                                       const MountedVolumes& volumes,
                                                       const Environment& environment) override;
  Result<std::vector<ContainerDevice>> container_devices(api::View container,
                                                         const MountedVolumes& volumes) override {
    return make_container_devices(container, volumes);
  }
  Result<std::string> exceeded_limit(const Pod& pod) override {
    return exceeded_empty_dir(pod, context_.paths);
  }
  Result<void> unmount(api::UidView pod_uid) override;
  Result<std::vector<api::Uid>> pods() override;

 private:
  struct Attempt {
    Result<MountedVolume> result;
    std::optional<MountedVolume> existing = {};  // what there is of it although it failed
  };

  Attempt mount_one(const Pod& pod, const PodFacts& facts, api::View volume);
  Attempt mount_claimed(const Pod& pod, const PodFacts& facts, api::View volume);
  std::optional<MountedVolume> remembered(const Pod& pod, const std::string& name) EXCLUDES(mutex_);
  Result<void> unmount_all(const std::string& folder);

  const Context context_;
  TokenCache tokens_;
  Mutex local_volumes_;
  const VolumeTools tools_;
  Mutex mutex_;
  // What each pod has, so that nothing is set up twice.
  std::map<api::Uid, MountedVolumes, std::less<>> mounted_ GUARDED_BY(mutex_);
};

std::optional<MountedVolume> NodeVolumes::remembered(const Pod& pod, const std::string& name) {
  const MutexLock lock(mutex_);
  const auto found = mounted_.find(pod.uid());
  if (found == mounted_.end()) return std::nullopt;
  const auto volume = found->second.find(name);
  if (volume == found->second.end()) return std::nullopt;
  return volume->second;
}

NodeVolumes::Attempt NodeVolumes::mount_claimed(const Pod& pod, const PodFacts& facts,
                                                api::View volume) {
  const std::string_view name = volume["name"].text();
  const Result<ClaimedVolume> claimed = find_claimed_volume(context_.objects, pod, volume);
  if (!claimed.ok()) return {.result = unprocessed(name, claimed.status())};
  const Source source = persistent_source_of(claimed->spec());
  const VolumePlugin* plugin = find_volume_plugin(source.type, true);
  if (plugin == nullptr || !is_file_name(claimed->name)) {
    return {.result = unprocessed(name, no_plugin(claimed->name, source.type))};
  }
  if (const api::ObjectPtr node = context_.node ? context_.node() : nullptr) {
    const Result<void> fits = check_node_affinity(*claimed, *node);
    if (!fits.ok()) {
      return {.result = unmounted("NodeAffinity check", claimed->name, fits.status())};
    }
  }
  const VolumeRequest request{.pod = pod,
                              .facts = facts,
                              .name = std::string(name),
                              .folder = claimed->name,
                              .source = source.view,
                              .persistent = claimed->spec(),
                              .read_only = claimed->read_only,
                              .as_device = claimed->as_device,
                              .creates_folder = claimed->creates_folder};
  Result<MountedVolume> mounted = plugin->mount(tools_, request);
  if (!mounted.ok()) return {.result = unmounted("SetUp", claimed->name, mounted.status())};
  return {.result = std::move(mounted)};
}

NodeVolumes::Attempt NodeVolumes::mount_one(const Pod& pod, const PodFacts& facts,
                                            api::View volume) {
  const std::string name(volume["name"].text());
  const std::optional<MountedVolume> known = remembered(pod, name);
  if (is_claim(volume)) {
    if (known) return {.result = *known};
    return mount_claimed(pod, facts, volume);
  }
  const Source source = source_of(volume);
  const VolumePlugin* plugin = find_volume_plugin(source.type, false);
  if (plugin == nullptr) return {.result = unprocessed(name, no_plugin(name, source.type))};
  if (!is_file_name(name)) {
    return {.result = unprocessed(name, {Reason::kInvalid, "name is not a valid file name"})};
  }
  if (known && !plugin->has_content) return {.result = *known};
  const VolumeRequest request{
      .pod = pod, .facts = facts, .name = name, .folder = name, .source = source.view};
  Result<MountedVolume> mounted = plugin->mount(tools_, request);
  if (mounted.ok()) return {.result = std::move(mounted)};
  Attempt attempt{.result = unmounted("SetUp", name, mounted.status())};
  if (plugin->existing != nullptr) attempt.existing = plugin->existing(tools_, request);
  return attempt;
}

Result<MountedVolumes> NodeVolumes::mount(const Pod& pod, const PodFacts& facts,
                                          const Until& until) {
  if (!is_file_name(pod.uid().view()))
    return Status(Reason::kInvalid, "pod uid is not a valid file name");
  TRY(make_folders(context_.paths.pod(pod.uid()), 0750));
  const std::set<std::string_view> used = used_volumes(pod);
  MountedVolumes all;
  for (const api::View volume : pod.spec()["volumes"].items()) {
    const std::string name(volume["name"].text());
    if (!used.contains(name)) continue;
    if (until.stop.stop_requested() || context_.clock.steady() > until.deadline) {
      return Status(Reason::kTimeout, "timed out waiting for the condition");
    }
    Attempt attempt = mount_one(pod, facts, volume);
    if (!attempt.result.ok()) {
      if (!attempt.existing) return attempt.result.status();
      kLog.warn("volume update failed, keeping its content",
                {{"pod", pod.full_name()}, {"error", attempt.result.status()}});
      if (context_.update_failed) {
        context_.update_failed(pod, attempt.result.status().message());
      }
      attempt.result = std::move(*attempt.existing);
    }
    const MutexLock lock(mutex_);
    mounted_[pod.uid()][name] = *attempt.result;
    all[name] = std::move(*attempt.result);
  }
  return all;
}

Result<std::vector<ContainerMount>> NodeVolumes::container_mounts(const Pod& pod,
                                                                  api::View container,
                                                                  const MountedVolumes& volumes,
                                                                  const Environment& environment) {
  const bool recursive = context_.can_mount_recursively && context_.can_mount_recursively(pod);
  return make_container_mounts({.pod = pod,
                                .container = container,
                                .volumes = volumes,
                                .environment = environment,
                                .paths = context_.paths,
                                .runtime_knows_recursive_read_only = recursive});
}

Result<void> NodeVolumes::unmount_all(const std::string& folder) {
  // What is mounted over one another comes to light one after the other.
  constexpr int kMostLayers = 16;
  for (int layer = 0; layer < kMostLayers; ++layer) {
    const std::string text =
        TRY(context_.files.read_file("/proc/self/mountinfo", kMostOfMountTable));
    const std::vector<std::string> points = mount_points_below(read_mount_table(text), folder);
    if (points.empty()) return {};
    for (const std::string& point : points) {
      TRY(unmount_inside(folder, point.substr(folder.size() + 1)));
    }
  }
  return Status(Reason::kConflict, fmt::format("{} still has mounts", folder));
}

Result<void> NodeVolumes::unmount(api::UidView pod_uid) {
  if (!is_file_name(pod_uid.view()))
    return Status(Reason::kInvalid, "pod uid is not a valid file name");
  tokens_.forget(pod_uid);
  {
    const MutexLock lock(mutex_);
    const auto found = mounted_.find(pod_uid);
    if (found != mounted_.end()) mounted_.erase(found);
  }
  const std::string folder = context_.paths.pod(pod_uid);
  const bool there = TRY(context_.files.exists(folder));
  if (!there) return {};
  TRY(unmount_all(real_path(folder)));
  return remove_tree(folder);
}

Result<std::vector<api::Uid>> NodeVolumes::pods() {
  Result<std::vector<std::string>> names = context_.files.list(context_.paths.pods());
  if (names.is(Reason::kNotFound)) return std::vector<api::Uid>();
  if (!names.ok()) return names.status();
  return std::vector<api::Uid>(std::make_move_iterator(names->begin()),
                               std::make_move_iterator(names->end()));
}

}  // namespace volumes

std::unique_ptr<Volumes> make_volumes(Volumes::Context context) {
  return std::make_unique<volumes::NodeVolumes>(std::move(context));
}

}  // namespace proa::kubelet
