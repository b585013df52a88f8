#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/client/client.h"

namespace proa::kubelet::cri {

// Reports changes of containers: from containerd's own event stream, or from CRI's if there is
// none. A stream that ends is opened again.
//
// containerd reports an exit before its CRI plugin knows of it: a query right after the event may
// still show the container as running. So exits are reported again a few times, with short delays.
//
// Destruction, not on a loop's thread, waits until no callback runs.
class RuntimeEvents {
 public:
  struct Listener {
    // Something happened to that container or sandbox (its id). On the loop's thread.
    std::function<void(const std::string& id)> changed;
    // The stream started, or resumed after a break: anything may have happened before; changes from
    // now on are reported. On the loop's thread.
    std::function<void()> resumed;
  };
  virtual ~RuntimeEvents() = default;
};

// Starts at once, on that loop, which is one of the client's. `socket`: the path of the runtime's
// unix socket. Everything outlives it. Not on a loop's thread.
std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              std::string socket, RuntimeEvents::Listener listener);
// The same for any endpoint.
std::unique_ptr<RuntimeEvents> follow_runtime(http::Client& client, http::Loop& loop,
                                              http::Origin origin,
                                              RuntimeEvents::Listener listener);

}  // namespace proa::kubelet::cri
