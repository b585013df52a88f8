#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "cli/node/node_paths.h"
#include "kubelet/runtime/containerd/supervisor.h"

namespace proa::cli {

// Proa's own containerd for the pods of a data directory, with its own configuration and network.
class OwnRuntime {
 public:
  struct Options {
    std::string sandbox_image = {};
    std::string default_runtime = {};  // "crun"; empty: the first one installed
    // Whether the user installs the pod network; nullopt: as it was at the start before.
    std::optional<bool> foreign_network = {};
  };
  // If a program is missing, the error says what to install.
  static Result<std::unique_ptr<OwnRuntime>> start(Files& files, Clock& clock,
                                                   const NodePaths& place, const Options& options);

  // The folder of CNI plugins.
  const std::string& cni_plugins() const { return cni_plugins_; }
  kubelet::Supervisor::Found found() const { return found_; }
  // Pods keep running; the next start takes containerd over.
  void leave() { supervisor_.leave(); }
  void end() { supervisor_.end(); }
  // Stops shims and removes state that containerd lost track of, and rotates its log. From any
  // thread.
  void tidy();

 private:
  OwnRuntime(Files& files, Clock& clock, NodePaths place, kubelet::Supervisor::Options options)
      : files_(files), place_(std::move(place)), supervisor_(files, clock, std::move(options)) {}
  Files& files_;
  const NodePaths place_;
  kubelet::Supervisor supervisor_;
  std::string cni_plugins_;
  kubelet::Supervisor::Found found_ = kubelet::Supervisor::Found::kStarted;
};

}  // namespace proa::cli
