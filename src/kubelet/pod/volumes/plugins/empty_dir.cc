#include "kubelet/pod/volumes/plugins/empty_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "kinds/core/resources/resources.h"
#include "kubelet/host/mounts/folder.h"
#include "kubelet/host/mounts/mount_calls.h"
#include "kubelet/host/mounts/tree_walk.h"
#include "kubelet/pod/volumes/content/ownership.h"

namespace proa::kubelet {
namespace empty_dir {

constexpr std::string_view kPlugin = "empty-dir";
constexpr std::string_view kHugePages = "HugePages";
constexpr std::string_view kHugePagesPrefix = "HugePages-";
constexpr std::string_view kHugeResourcePrefix = "hugepages-";

// Upstream's sign that a volume was set up to the end, where upstream has it.
std::string ready_folder(const VolumeTools& tools, const VolumeRequest& request) {
  return fmt::format("{}/plugins/kubernetes.io~{}/{}", tools.paths.pod(request.pod.uid()), kPlugin,
                     request.folder);
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<void> set_ready(const VolumeTools& tools, const VolumeRequest& request) {
  const std::string folder = ready_folder(tools, request);
  TRY(make_folders(folder, 0750));
  const std::string path = folder + "/ready";
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
  if (!file.valid()) return folder_failure("creating", path, errno);
  return {};
}

bool is_huge(std::string_view medium) {
  return medium == kHugePages || medium.starts_with(kHugePagesPrefix);
}

Result<void> set_up_memory(const VolumeRequest& request, const std::string& path) {
  const bool mounted = TRY(is_mount_point(path));
  if (mounted && is_tmpfs(path)) return {};
  return mount_tmpfs(path,
                     memory_volume_size(request.pod, request.facts, request.source["sizeLimit"]));
}

Result<void> set_up_huge_pages(const VolumeRequest& request, const std::string& path) {
  const std::string_view medium = request.source["medium"].text();
  const std::string size = TRY(huge_page_size(request.pod, medium));
  const bool mounted = TRY(is_mount_point(path));
  const int64_t there = mounted ? huge_page_size_at(path) : 0;
  if (there == 0) return mount_huge_pages(path, size);
  if (medium == kHugePages) return {};
  const api::Quantity wanted = TRY(api::Quantity::parse(size));
  if (wanted.value() == there) return {};
  const api::Quantity found(there, api::QuantityFormat::kBinarySi);
  return Status(Reason::kConflict,
                fmt::format("pod {}: mounted dir {} pagesize '{}' and requested medium size '{}' "
                            "differ",
                            request.pod.uid().view(), path, found.str(), wanted.str()));
}

Result<void> set_up(const VolumeRequest& request, const std::string& path) {
  const std::string_view medium = request.source["medium"].text();
  TRY(make_open_folder(path));
  if (medium.empty()) return {};
  if (medium == "Memory") return set_up_memory(request, path);
  if (is_huge(medium)) return set_up_huge_pages(request, path);
  return Status(Reason::kBadRequest, fmt::format("unknown storage medium \"{}\"", medium));
}

// Set up by an earlier call, this process's or one before. What lies in memory went with the
// machine's last start.
Result<bool> is_ready(const VolumeTools& tools, const VolumeRequest& request,
                      const std::string& path) {
  if (!is_there(ready_folder(tools, request) + "/ready") || !is_there(path)) return false;
  if (request.source["medium"].text().empty()) return true;
  return is_mount_point(path);
}

// Limits of the pod itself, or of all its containers; nothing when one of them has none.
std::optional<int64_t> memory_limit(const Pod& pod) {
  const kinds::pods::Amounts own = kinds::pods::read_amounts(pod.spec()["resources"]["limits"]);
  if (const auto found = own.find("memory"); found != own.end()) return found->second.value();
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind == ContainerKind::kEphemeral) continue;
    const kinds::pods::Amounts limits =
        kinds::pods::read_amounts(container.view["resources"]["limits"]);
    const auto found = limits.find("memory");
    if (found == limits.end() || found->second.is_zero()) return std::nullopt;
  }
  const kinds::pods::Amounts sum =
      kinds::pods::sum_of_containers(pod.spec(), kinds::pods::Bound::kLimits);
  const auto found = sum.find("memory");
  if (found == sum.end()) return std::nullopt;
  return found->second.value();
}

// The smaller of both; zero means no limit.
int64_t lower(int64_t size, int64_t limit) {
  if (limit <= 0) return size;
  return size == 0 ? limit : std::min(size, limit);
}

// The page sizes that the pod or its containers ask for.
std::vector<std::string_view> requested_pages(const Pod& pod) {
  std::vector<std::string_view> sizes;
  const auto add = [&sizes](api::View resources) {
    for (const json::Member& member : resources["requests"].members()) {
      if (!member.key.starts_with(kHugeResourcePrefix)) continue;
      sizes.push_back(member.key.substr(kHugeResourcePrefix.size()));
    }
  };
  add(pod.spec()["resources"]);
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind != ContainerKind::kEphemeral) add(container.view["resources"]);
  }
  return sizes;
}

}  // namespace empty_dir

int64_t memory_volume_size(const Pod& pod, const PodFacts& facts, api::View limit) {
  int64_t size = facts.allocatable_memory.value();
  size = empty_dir::lower(size, empty_dir::memory_limit(pod).value_or(0));
  const Result<api::Quantity> own = api::Quantity::parse(limit.text("0"));
  return own.ok() ? empty_dir::lower(size, own->value()) : size;
}

Result<std::string> huge_page_size(const Pod& pod, std::string_view medium) {
  const bool any = medium == empty_dir::kHugePages;
  std::optional<api::Quantity> found;
  if (!any) {
    found = TRY(api::Quantity::parse(medium.substr(empty_dir::kHugePagesPrefix.size())));
  }
  bool asked = false;
  for (const std::string_view text : empty_dir::requested_pages(pod)) {
    const api::Quantity size = TRY(api::Quantity::parse(text));
    if (any && found && *found != size) {
      return Status(
          Reason::kBadRequest,
          fmt::format("medium: {} can't be used if container requests multiple huge page sizes",
                      medium));
    }
    if (any) found = size;
    asked |= *found == size;
  }
  if (!asked) {
    return Status(Reason::kBadRequest,
                  fmt::format("medium {}: hugePages storage requested, but there is no resource "
                              "request for huge pages",
                              medium));
  }
  return found->str();
}

Result<void> make_open_folder(const std::string& path) {
  TRY(make_folders(path.substr(0, path.rfind('/')), 0750));
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
    return folder_failure("mkdir", path, errno);
  }
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return folder_failure("looking at", path, errno);
  if (!S_ISDIR(info.st_mode)) return folder_failure("mkdir", path, ENOTDIR);
  if ((info.st_mode & 0777) == 0777) return {};
  if (::chmod(path.c_str(), 0777) != 0) return folder_failure("chmod", path, errno);
  return {};
}

Result<MountedVolume> mount_empty_dir(const VolumeTools& tools, const VolumeRequest& request) {
  MountedVolume volume{
      .path = tools.paths.volume(request.pod.uid(), empty_dir::kPlugin, request.folder),
      .selinux_relabel = true};
  const bool ready = TRY(empty_dir::is_ready(tools, request, volume.path));
  if (ready) return volume;
  TRY(empty_dir::set_up(request, volume.path));
  if (const std::optional<gid_t> group = group_of_volumes(request.pod)) {
    TRY(give_to_group(volume.path, {.group = *group}));
  }
  TRY(empty_dir::set_ready(tools, request));
  return volume;
}

Result<std::string> exceeded_empty_dir(const Pod& pod, const Paths& paths) {
  for (const api::View volume : pod.spec()["volumes"].items()) {
    const api::View source = volume["emptyDir"];
    if (!source["sizeLimit"] || empty_dir::is_huge(source["medium"].text())) continue;
    const Result<api::Quantity> limit = api::Quantity::parse(source["sizeLimit"].text());
    if (!limit.ok() || limit->sign() <= 0) continue;
    const std::string_view name = volume["name"].text();
    const Result<int64_t> used = disk_usage(paths.volume(pod.uid(), empty_dir::kPlugin, name));
    if (used.is(Reason::kNotFound)) continue;  // nothing mounts it
    if (!used.ok()) return used.status();
    if (*used > limit->value()) {
      // With a space at its end, as upstream has it.
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", name,
                         limit->str());
    }
  }
  return std::string();
}

}  // namespace proa::kubelet
