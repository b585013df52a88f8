#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace proa::kubelet {

// Whether somebody takes connections on a unix socket: the process that does, or nothing.
std::optional<pid_t> who_listens(const std::string& socket);

}  // namespace proa::kubelet
