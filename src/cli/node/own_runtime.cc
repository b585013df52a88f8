#include "cli/node/own_runtime.h"

#include <linux/capability.h>

#include <algorithm>
#include <cstdlib>

#include "base/log.h"
#include "base/process/spawn.h"
#include "cli/node/network/cni_folder.h"
#include "kubelet/runtime/containerd/bundles.h"
#include "kubelet/runtime/containerd/containerd_config.h"
#include "kubelet/runtime/containerd/network_namespaces.h"
#include "kubelet/runtime/containerd/shims.h"

namespace proa::cli {
namespace own_runtime {

const Log kLog{"kubelet"};
constexpr size_t kMaxConfig = 64 * 1024;

Status missing(std::string_view what, std::string_view package) {
  return {Reason::kNotFound,
          std::string(what) + " is not installed; install the package " + std::string(package) +
              ", or pass --container-runtime-endpoint to use an external runtime"};
}

// All installed ones, the default first.
Result<std::vector<kubelet::OciRuntime>> find_oci_runtimes(const std::string& wanted) {
  std::vector<kubelet::OciRuntime> found;
  for (const char* name : {"runc", "crun"}) {
    if (auto path = find_program(name)) {
      kubelet::OciRuntime runtime;
      runtime.name = name;
      runtime.path = std::move(*path);
      found.push_back(std::move(runtime));
    }
  }
  if (found.empty()) return missing("neither runc nor crun", "runc");
  if (wanted.empty()) return found;
  const auto chosen = std::ranges::find(found, wanted, &kubelet::OciRuntime::name);
  if (chosen == found.end()) return missing(wanted + ", the default runtime,", wanted);
  std::rotate(found.begin(), chosen, std::next(chosen));
  return found;
}

// Requires CAP_SYS_RESOURCE, which root may lack inside a container.
bool may_lower_oom_score(Files& files) {
  const auto text = files.read_file("/proc/self/status", kMaxConfig);
  if (!text) return false;
  constexpr std::string_view kName = "\nCapEff:\t";
  const size_t at = text->find(kName);
  if (at == std::string::npos) return false;
  const uint64_t held = std::strtoull(text->c_str() + at + kName.size(), nullptr, 16);
  return (held >> CAP_SYS_RESOURCE & 1) != 0;
}

Result<void> write_if_changed(Files& files, const std::string& path, const std::string& text) {
  const auto before = files.read_file(path, kMaxConfig);
  if (before.ok() && *before == text) return {};
  return files.write_file_atomic(path, text, 0600);
}

Result<void> make_folders(Files& files, const NodePaths& place) {
  for (const std::string* folder : {&place.log_folder, &place.containerd_root, &place.registries}) {
    TRY(files.make_dirs(*folder, 0700));
  }
  // Containers of other users traverse it.
  TRY(files.make_dirs(place.run_folder, 0711));
  return {};
}

kubelet::ShimPlace shims_of(const NodePaths& place) {
  return {.socket = place.socket, .tasks = place.tasks};
}

// Removes state that a killed containerd left behind and the next one does not know.
void remove_half_done(Files& files, const NodePaths& place) {
  const Result<size_t> ended = kubelet::end_idle_shims(files, shims_of(place));
  if (!ended.ok()) kLog.warn("stopping idle shims failed", {{"error", ended.status()}});
  const Result<size_t> bundles = kubelet::remove_stray_bundles(files, place.tasks);
  if (!bundles.ok()) kLog.warn("removing stale bundles failed", {{"error", bundles.status()}});
  const Result<size_t> removed = kubelet::remove_unused_namespaces(files, place.network_namespaces);
  if (!removed.ok()) {
    kLog.warn("removing stale network namespaces failed", {{"error", removed.status()}});
  }
}

}  // namespace own_runtime

Result<std::unique_ptr<OwnRuntime>> OwnRuntime::start(Files& files, Clock& clock,
                                                      const NodePaths& place,
                                                      const Options& options) {
  const auto containerd = find_program("containerd");
  if (!containerd) return own_runtime::missing("containerd", "containerd");
  kubelet::ContainerdSetup setup;
  setup.root = place.containerd_root;
  setup.state = place.containerd_state;
  setup.socket = place.socket;
  setup.sandbox_image = options.sandbox_image;
  setup.cni_config = place.cni_folder;
  setup.registries = place.registries;
  setup.may_lower_oom_score = own_runtime::may_lower_oom_score(files);
  setup.runtimes = TRY(own_runtime::find_oci_runtimes(options.default_runtime));
  TRY(own_runtime::make_folders(files, place));
  setup.cni_programs = TRY(prepare_cni_folder(files, place.cni_folder, options.foreign_network));
  TRY(own_runtime::write_if_changed(files, place.containerd_config,
                                    kubelet::containerd_config(setup)));
  kubelet::Supervisor::Options supervisor_options;
  supervisor_options.words = {*containerd, "--config", place.containerd_config};
  supervisor_options.socket = place.socket;
  supervisor_options.pid_file = place.pid_file;
  supervisor_options.log_file = place.containerd_log;
  supervisor_options.before_launch = [&files, place] {
    own_runtime::remove_half_done(files, place);
  };
  std::unique_ptr<OwnRuntime> made(
      new OwnRuntime(files, clock, place, std::move(supervisor_options)));
  made->cni_plugins_ = setup.cni_programs;
  made->found_ = TRY(made->supervisor_.start());
  return made;
}

void OwnRuntime::tidy() {
  const Result<size_t> ended = kubelet::end_lost_shims(files_, own_runtime::shims_of(place_));
  if (!ended.ok())
    own_runtime::kLog.warn("stopping orphaned shims failed", {{"error", ended.status()}});
  supervisor_.rotate_log();
}

}  // namespace proa::cli
