#pragma once

#include <string>

#include "base/files.h"
#include "base/result.h"
#include "base/time.h"

namespace proa::kubelet {

// The shims of one containerd: its socket is among their arguments.
struct ShimPlace {
  std::string socket = {};
  std::string tasks = {};  // the folder of its bundles
  // The socket folder of all shims, of any containerd.
  std::string shim_sockets = "/run/containerd/s";
};

// Kills shims that run no container, and what they had begun: a shim whose containerd is killed
// while it creates or removes a pod stays behind, and the next containerd adopts it without ever
// ending it. A container that was created and not started does not keep a shim. Returns their
// number. REQUIRES: that containerd does not run.
Result<size_t> end_idle_shims(Files& files, const ShimPlace& place);

// Kills shims that run no container and whose bundle is gone: containerd loses track of them when a
// call that creates a pod is cancelled. Returns their number. containerd may run meanwhile.
Result<size_t> end_lost_shims(Files& files, const ShimPlace& place);

// Removes sockets of shims that are gone: those of this containerd's bundles, and others that
// refuse connections, whose bundle is gone as well. A shim that is killed does not remove its
// socket, and containerd replaces one that nobody listens on. Others are kept while they are
// younger than `start_time`: a shim binds its socket a moment before it listens. REQUIRES: that
// containerd does not run.
Result<void> remove_dead_sockets(Files& files, const ShimPlace& place,
                                 Duration start_time = std::chrono::seconds(5));

// The socket of the shim of that bundle ("k8s.io/ID").
std::string shim_socket(const ShimPlace& place, const std::string& bundle);

}  // namespace proa::kubelet
