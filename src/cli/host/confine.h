#pragma once

#include "base/result.h"

namespace proa::cli {

// Gives up, for good, what an API server does not need, so that code that an attacker gets to run
// in it gains little: no new privileges (setuid programs), no capability but CAP_NET_BIND_SERVICE,
// and no system call that starts programs, loads code into the kernel, changes mounts or
// namespaces, or looks into other processes (EPERM). For this thread and those it starts; call it
// before others exist. Not for a process that runs containers.
Result<void> confine_server();

}  // namespace proa::cli
