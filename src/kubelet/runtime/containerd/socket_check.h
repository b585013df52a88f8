#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace proa::kubelet {

// The process that accepts connections on a unix socket; nullopt if none does.
std::optional<pid_t> who_listens(const std::string& socket);

}  // namespace proa::kubelet
