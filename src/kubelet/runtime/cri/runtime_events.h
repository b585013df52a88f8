#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/client/client.h"

namespace proa::kubelet::cri {

// Tells that something happened to containers, as the runtime says it: from containerd's own event
// stream, or from CRI's where there is none. A stream that breaks off is opened again.
//
// containerd tells of an end before its CRI knows of it: whoever asks at once may hear that the
// container runs. So ends are told again a little later, a few times.
//
// Destruction, not on a loop's thread, waits until no callback is under way.
class RuntimeEvents {
 public:
  struct Listener {
    // Something happened to that container or sandbox (its id). On the loop's thread.
    std::function<void(const std::string& id)> changed;
    // The stream has begun, or goes on after a break: anything may have happened before, and what
    // happens from now on is told. On the loop's thread.
    std::function<void()> resumed;
  };
  virtual ~RuntimeEvents() = default;
};

// Begins at once, on that loop, which is one of the client's. `socket`: the path of the runtime's
// unix socket. Everything outlives it. Not on a loop's thread.
std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              std::string socket, RuntimeEvents::Listener listener);
// The same for runtimes that are elsewhere.
std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              http::Origin origin,
                                              RuntimeEvents::Listener listener);

}  // namespace proa::kubelet::cri
