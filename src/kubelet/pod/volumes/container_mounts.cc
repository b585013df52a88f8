#include "kubelet/pod/volumes/container_mounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/log.h"
#include "base/strings.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/sub_path.h"
#include "kubelet/pod/volumes/plugins/host_path.h"

namespace proa::kubelet {
namespace container_mounts {

const Log kLog{"kubelet"};

Status invalid(std::string message) { return {Reason::kInvalid, std::move(message)}; }

// Empty if there is no such variable: here that is the same as an empty one.
std::string_view value_of(const Environment& environment, std::string_view name) {
  const auto found = std::find_if(environment.rbegin(), environment.rend(),
                                  [name](const Variable& one) { return one.name == name; });
  return found == environment.rend() ? std::string_view() : std::string_view(found->value);
}

// $(NAME) and $$; unlike commands, every name must mean something: a volume's root instead of a
// part of it would be a nasty surprise.
Result<std::string> expand_sub_path(std::string_view text, const Environment& environment) {
  std::string expanded;
  std::set<std::string> missing;
  while (!text.empty()) {
    const size_t dollar = text.find('$');
    expanded.append(text.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    const size_t end = text.find(')');
    if (text.starts_with('(') && end != std::string_view::npos) {
      const std::string_view name = text.substr(1, end - 1);
      const std::string_view value = value_of(environment, name);
      if (value.empty()) missing.emplace(name);
      expanded.append(value);
      text.remove_prefix(end + 1);
    } else {
      expanded.push_back('$');
      if (text.starts_with('$')) text.remove_prefix(1);
    }
  }
  if (missing.empty()) return expanded;
  const std::vector<std::string> names(missing.begin(), missing.end());
  return invalid("missing value for " + join(names, ", "));
}

Result<std::string> sub_path_of(api::View mount, const Environment& environment) {
  std::string path(mount["subPath"].text());
  if (const std::string_view expression = mount["subPathExpr"].text(); !expression.empty()) {
    path = TRY(expand_sub_path(expression, environment));
  }
  if (path.starts_with('/')) {
    return invalid(fmt::format("error SubPath `{}` must not be an absolute path", path));
  }
  if (has_backsteps(path) || path.find('\0') != std::string::npos) {
    return invalid(fmt::format("unable to provision SubPath `{}`: must not contain '..'", path));
  }
  return path;
}

Result<ContainerMount::Propagation> propagation_of(api::View mount) {
  const std::string_view mode = mount["mountPropagation"].text("None");
  if (mode == "None") return ContainerMount::Propagation::kPrivate;
  if (mode == "HostToContainer") return ContainerMount::Propagation::kHostToContainer;
  if (mode == "Bidirectional") return ContainerMount::Propagation::kBidirectional;
  return invalid(fmt::format("invalid MountPropagation mode: \"{}\"", mode));
}

Result<bool> is_recursive_read_only(api::View mount, bool runtime_knows) {
  const std::string_view mode = mount["recursiveReadOnly"].text("Disabled");
  const std::string_view name = mount["name"].text();
  const std::string_view propagation = mount["mountPropagation"].text("None");
  if (mode == "Disabled") return false;
  constexpr std::string_view kWhere = "failed to resolve recursive read-only mode: ";
  const std::string asked =
      fmt::format("{}volume \"{}\" requested recursive read-only mode, but ", kWhere, name);
  if (!mount["readOnly"].flag()) return invalid(asked + "it is not read-only");
  if (propagation != "None") {
    return invalid(
        fmt::format("{}it is not compatible with propagation \"{}\"", asked, propagation));
  }
  if (mode == "IfPossible") return runtime_knows;
  if (mode != "Enabled") {
    return invalid(fmt::format("{}unknown recursive read-only mode \"{}\"", kWhere, mode));
  }
  if (!runtime_knows) return invalid(asked + "it is not supported by the runtime");
  return true;
}

// The cause is for the log only: it could reveal files of the host to a user.
Status hidden(const MountInputs& inputs, api::View mount, std::string_view what,
              const Status& cause) {
  const std::string message =
      fmt::format("failed to {} for volumeMount \"{}\" of container \"{}\"", what,
                  mount["name"].text(), inputs.container["name"].text());
  kLog.warn("mounting a subPath failed",
            {{"pod", inputs.pod.full_name()}, {"message", message}, {"error", cause}});
  return {Reason::kInternalError, message};
}

// Where on the node the part of the volume is to be found.
Result<std::string> bind(const MountInputs& inputs, api::View mount, size_t index,
                         const std::string& volume_path, const std::string& sub_path) {
  const std::string_view volume = mount["name"].text();
  const std::string_view container = inputs.container["name"].text();
  if (!is_file_name(volume) || !is_file_name(container)) {
    return invalid("names of volumes and containers must be file names");
  }
  const Result<FileDescriptor> opened = open_sub_path(volume_path, sub_path);
  if (!opened.ok()) {
    return hidden(inputs, mount, "create subPath directory", opened.status());
  }
  std::string target =
      fmt::format("{}/{}/{}/{}", inputs.paths.subpaths(inputs.pod.uid()), volume, container, index);
  const Result<void> bound = bind_sub_path(opened->get(), target);
  if (!bound.ok()) return hidden(inputs, mount, "prepare subPath", bound.status());
  return target;
}

bool is_mountable(const MountedVolume& volume) {
  if (volume.image) return !volume.image->resolved.empty();
  return !volume.is_block;
}

Result<ContainerMount> make_mount(const MountInputs& inputs, api::View mount, size_t index) {
  const std::string_view name = mount["name"].text();
  const auto volume = inputs.volumes.find(name);
  if (volume == inputs.volumes.end() || !is_mountable(volume->second)) {
    return invalid(fmt::format("cannot find volume \"{}\" to mount into container \"{}\"", name,
                               inputs.container["name"].text()));
  }
  const std::string sub_path = TRY(sub_path_of(mount, inputs.environment));
  const std::string_view path = mount["mountPath"].text();
  ContainerMount made{
      .container_path = path.starts_with('/') ? std::string(path) : fmt::format("/{}", path),
      .host_path = volume->second.path,
      .read_only = mount["readOnly"].flag() || volume->second.read_only,
      .selinux_relabel = volume->second.selinux_relabel};
  made.propagation = TRY(propagation_of(mount));
  made.recursive_read_only =
      TRY(is_recursive_read_only(mount, inputs.runtime_knows_recursive_read_only));
  if (volume->second.image) {
    made.image = volume->second.image;
    made.image_sub_path = sub_path;
  } else if (!sub_path.empty()) {
    made.host_path = TRY(bind(inputs, mount, index, volume->second.path, sub_path));
  }
  return made;
}

}  // namespace container_mounts

Result<std::vector<ContainerMount>> make_container_mounts(const MountInputs& inputs) {
  std::vector<ContainerMount> mounts;
  for (const api::View mount : inputs.container["volumeMounts"].items()) {
    ContainerMount made = TRY(container_mounts::make_mount(inputs, mount, mounts.size()));
    mounts.push_back(std::move(made));
  }
  return mounts;
}

Result<std::vector<ContainerDevice>> make_container_devices(api::View container,
                                                            const MountedVolumes& volumes) {
  std::vector<ContainerDevice> devices;
  for (const api::View device : container["volumeDevices"].items()) {
    const std::string_view path = device["devicePath"].text();
    if (!path.starts_with('/')) {
      return container_mounts::invalid(
          fmt::format("error DevicePath `{}` must be an absolute path", path));
    }
    const auto volume = volumes.find(device["name"].text());
    if (volume == volumes.end() || !volume->second.is_block) {
      return container_mounts::invalid(
          fmt::format("cannot find volume \"{}\" to pass into container \"{}\"",
                      device["name"].text(), container["name"].text()));
    }
    devices.push_back({.container_path = std::string(path),
                       .host_path = volume->second.path,
                       .permissions = volume->second.read_only ? "r" : "mrw"});
  }
  return devices;
}

}  // namespace proa::kubelet
