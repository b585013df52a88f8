#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace proa::lab {

// What the first process of a machine runs.
struct Service {
  std::vector<std::string> words = {};        // the path of a program and its arguments
  std::vector<std::string> environment = {};  // "NAME=value"
  std::function<void()> function = {};        // instead of a program
  bool reports = false;                       // it says when it is ready, as systemd's services do
};

// The first process of a PID namespace: starts the service, starts it again when it ends, and reaps
// every process that lost its parent. Writes "ready" to `report` when the service is, or how it
// ended if that is earlier, and closes it. On SIGTERM it ends the service, and returns; with it the
// whole machine ends. Standard output is the log. REQUIRES: one thread.
void run_init(const Service& service, FileDescriptor report);

}  // namespace proa::lab
