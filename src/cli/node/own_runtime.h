#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "cli/node/node_paths.h"
#include "kubelet/runtime/containerd/supervisor.h"

namespace proa::cli {

// The containerd that runs the pods of a data directory, with configuration and network of our own.
class OwnRuntime {
 public:
  struct Wishes {
    std::string sandbox_image = {};
    std::string pod_cidr = {};         // empty: the network stays as an earlier start wrote it
    std::string default_runtime = {};  // "crun"; empty: the first that is there
  };
  // What is missing on the machine is a failure that says what to install.
  static Result<std::unique_ptr<OwnRuntime>> start(Files& files, Clock& clock,
                                                   const NodePlace& place, const Wishes& wishes);

  kubelet::Supervisor::Found found() const { return found_; }
  // Pods run on; the next start takes it over.
  void leave() { supervisor_.leave(); }
  void end() { supervisor_.end(); }
  // Ends what it lost track of. From any thread.
  void tidy();

 private:
  OwnRuntime(Files& files, Clock& clock, NodePlace place, kubelet::Supervisor::Options options)
      : files_(files), place_(std::move(place)), supervisor_(files, clock, std::move(options)) {}
  Files& files_;
  const NodePlace place_;
  kubelet::Supervisor supervisor_;
  kubelet::Supervisor::Found found_ = kubelet::Supervisor::Found::kStarted;
};

}  // namespace proa::cli
