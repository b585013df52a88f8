#pragma once

#include <memory>
#include <string>

#include "http/client/client.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet::cri {

// A runtime behind a unix socket. The client outlives it. Calls whose `until` has no deadline get
// upstream's: two minutes, four for RunPodSandbox, in addition to the time that a stop or command
// itself may take; none for pulls and for commands without a timeout.
//
// Failures are Statuses with the runtime's own message; failure_text() formats them for users.
std::unique_ptr<Runtime> connect_runtime(http::Client& client, std::string socket);
// The same for any endpoint.
std::unique_ptr<Runtime> connect_runtime(http::Client& client, http::Origin origin);

}  // namespace proa::kubelet::cri
