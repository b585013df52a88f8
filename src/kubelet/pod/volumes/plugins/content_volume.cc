#include "kubelet/pod/volumes/plugins/content_volume.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "kubelet/host/mounts/sub_path.h"
#include "kubelet/pod/volumes/content/atomic_writer.h"
#include "kubelet/pod/volumes/content/ownership.h"
#include "kubelet/pod/volumes/content/sources.h"
#include "kubelet/pod/volumes/plugins/empty_dir.h"

namespace proa::kubelet {
namespace content_volume {

struct Kind {
  std::string_view plugin = {};
  bool in_memory = true;
  Result<Payload> (*content)(const ContentInputs& inputs, api::View source) = nullptr;
};
constexpr Kind kConfigMap{.plugin = "configmap", .in_memory = false, .content = config_map_content};
constexpr Kind kSecret{.plugin = "secret", .content = secret_content};
constexpr Kind kDownward{.plugin = "downward-api", .content = downward_content};
constexpr Kind kProjected{.plugin = "projected", .content = projected_content};

MountedVolume volume_at(const VolumeTools& tools, const VolumeRequest& request, const Kind& kind) {
  return {.path = tools.paths.volume(request.pod.uid(), kind.plugin, request.folder),
          .read_only = true,
          .selinux_relabel = true};
}

Result<void> set_up_folder(const VolumeRequest& request, const Kind& kind,
                           const std::string& path) {
  if (kind.in_memory) {
    const bool mounted = TRY(is_mount_point(path));
    if (mounted) return {};
  }
  TRY(make_open_folder(path));
  if (!kind.in_memory) return {};
  return mount_tmpfs(path, memory_volume_size(request.pod, request.facts, api::View()));
}

Result<void> make_mount_points(const VolumeRequest& request, const std::string& path) {
  const std::vector<std::string> points = TRY(nested_mount_points(request.pod, request.name));
  if (points.empty()) return {};
  const FileDescriptor folder = TRY(open_folder(path));
  for (const std::string& point : points) {
    const Result<void> made = make_folders_inside(folder.get(), point, 0755);
    if (!made.ok()) return made.status().in("unable to create nested volume mountpoints");
  }
  return {};
}

Result<MountedVolume> mount(const VolumeTools& tools, const VolumeRequest& request,
                            const Kind& kind) {
  const ContentInputs inputs{.pod = request.pod,
                             .facts = request.facts,
                             .objects = tools.objects,
                             .tokens = tools.tokens,
                             .trust_bundles = tools.trust_bundles};
  const Payload payload = TRY(kind.content(inputs, request.source));
  MountedVolume volume = volume_at(tools, request, kind);
  TRY(set_up_folder(request, kind, volume.path));
  TRY(make_mount_points(request, volume.path));
  const auto set_permissions = [&]() -> Result<void> {
    const std::optional<gid_t> group = group_of_volumes(request.pod);
    if (!group) return {};
    return give_to_group(volume.path, {.group = *group, .read_only = true});
  };
  TRY(write_atomically(volume.path, payload, tools.clock.now(), set_permissions));
  return volume;
}

std::optional<MountedVolume> existing(const VolumeTools& tools, const VolumeRequest& request,
                                      const Kind& kind) {
  MountedVolume volume = volume_at(tools, request, kind);
  if (!has_content(volume.path)) return std::nullopt;
  return volume;
}

std::string plain(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !path.starts_with('/')) {
      parts.push_back(part);
    }
  }
  return join(parts, "/");
}

bool is_inside(std::string_view path, std::string_view folder) {
  return folder.empty() ? !path.empty()
                        : path.size() > folder.size() && path.starts_with(folder) &&
                              path[folder.size()] == '/';
}

void add_nested(std::vector<std::string>& found, const std::vector<std::string>& all,
                const std::string& own) {
  std::vector<std::string> outer;
  for (const std::string& point : all) {
    if (!is_inside(point, own)) continue;
    const bool nested = std::any_of(outer.begin(), outer.end(), [&point](const std::string& one) {
      return is_inside(point, one);
    });
    if (nested) continue;
    outer.push_back(point);
    found.push_back(own.empty() ? point : point.substr(own.size() + 1));
  }
}

}  // namespace content_volume

Result<std::vector<std::string>> nested_mount_points(const Pod& pod, std::string_view name) {
  std::vector<std::string> found;
  for (const ContainerSpec& container : containers_of(pod)) {
    std::vector<std::string> all;
    std::vector<std::string> own;
    for (const api::View mount : container.view["volumeMounts"].items()) {
      all.push_back(content_volume::plain(mount["mountPath"].text()));
      if (mount["name"].text() == name) own.push_back(all.back());
    }
    std::sort(all.begin(), all.end());
    for (const std::string& point : own) {
      if (point.starts_with("../")) {
        return Status(Reason::kBadRequest, fmt::format("invalid container mount point {}", point));
      }
      content_volume::add_nested(found, all, point);
    }
  }
  return found;
}

Result<MountedVolume> mount_config_map(const VolumeTools& tools, const VolumeRequest& request) {
  return content_volume::mount(tools, request, content_volume::kConfigMap);
}
Result<MountedVolume> mount_secret(const VolumeTools& tools, const VolumeRequest& request) {
  return content_volume::mount(tools, request, content_volume::kSecret);
}
Result<MountedVolume> mount_downward_api(const VolumeTools& tools, const VolumeRequest& request) {
  return content_volume::mount(tools, request, content_volume::kDownward);
}
Result<MountedVolume> mount_projected(const VolumeTools& tools, const VolumeRequest& request) {
  return content_volume::mount(tools, request, content_volume::kProjected);
}

std::optional<MountedVolume> existing_config_map(const VolumeTools& tools,
                                                 const VolumeRequest& request) {
  return content_volume::existing(tools, request, content_volume::kConfigMap);
}
std::optional<MountedVolume> existing_secret(const VolumeTools& tools,
                                             const VolumeRequest& request) {
  return content_volume::existing(tools, request, content_volume::kSecret);
}
std::optional<MountedVolume> existing_downward_api(const VolumeTools& tools,
                                                   const VolumeRequest& request) {
  return content_volume::existing(tools, request, content_volume::kDownward);
}
std::optional<MountedVolume> existing_projected(const VolumeTools& tools,
                                                const VolumeRequest& request) {
  return content_volume::existing(tools, request, content_volume::kProjected);
}

}  // namespace proa::kubelet
