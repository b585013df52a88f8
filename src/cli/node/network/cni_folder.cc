#include "cli/node/network/cni_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "kubelet/host/mounts/tree_removal.h"

namespace proa::cli {
namespace cni_folder {

constexpr std::string_view kUsersConfigs = "/etc/cni/net.d";
// Where networks that users install put their plugins.
constexpr std::string_view kUsersPlugins = "/opt/cni/bin";
// Debian's folder, then those of other distributions.
constexpr std::string_view kPlugins[] = {"/usr/lib/cni", kUsersPlugins, "/usr/libexec/cni"};

bool is_link(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
}

Result<void> make_link(const std::string& path, const std::string& target) {
  if (is_link(path)) return {};
  TRY(kubelet::remove_tree(path));
  if (::symlink(target.c_str(), path.c_str()) != 0) {
    return errno_status("linking " + path + " to " + target, errno);
  }
  return {};
}

}  // namespace cni_folder

Result<std::string> prepare_cni_folder(Files& files, const std::string& folder,
                                       std::optional<bool> foreign,
                                       const std::string& system_root) {
  const bool is_foreign = foreign.value_or(cni_folder::is_link(folder));
  std::vector<std::string_view> places(std::begin(cni_folder::kPlugins),
                                       std::end(cni_folder::kPlugins));
  if (is_foreign) {
    const std::string configs = system_root + std::string(cni_folder::kUsersConfigs);
    TRY(files.make_dirs(configs, 0755));
    TRY(cni_folder::make_link(folder, configs));
    // Networks bring plugins of their own; the usual ones are beside them.
    const std::string plugins = system_root + std::string(cni_folder::kUsersPlugins);
    if (TRY(files.exists(plugins))) return plugins;
  } else {
    if (cni_folder::is_link(folder)) TRY(files.remove(folder));
    TRY(files.make_dirs(folder, 0700));
  }
  for (const std::string_view place : places) {
    if (TRY(files.exists(system_root + std::string(place) + "/bridge"))) {
      return system_root + std::string(place);
    }
  }
  return Status(Reason::kNotFound,
                "the CNI plugin bridge is not installed; install the package "
                "containernetworking-plugins, or pass --container-runtime-endpoint to use an "
                "external runtime");
}

}  // namespace proa::cli
