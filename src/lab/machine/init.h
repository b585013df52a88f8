#pragma once

#include <signal.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace proa::lab {

// Sent to the first process, starts a service that is ServicePhase::kStopped.
inline constexpr int kStartService = SIGHUP;
// Begins the lines that the first process writes to the log of its service.
inline constexpr std::string_view kInitPrefix = "lab: ";

// What the first process of a machine runs.
struct Service {
  std::vector<std::string> words = {};        // the path of a program and its arguments
  std::vector<std::string> environment = {};  // "NAME=value"
  std::function<void()> function = {};        // instead of a program
  // The path of a socket where it says when it is ready, as systemd's services of the type notify
  // do; empty: it is ready at once.
  std::string notify = {};
  FileDescriptor state = {};  // a file that is kept up to date: see ServiceState
};

// The first process of a PID namespace: starts the service, starts it again when it fails, and
// reaps every process that lost its parent. Writes "ready" to `report` when the service is, or how
// it ended if that is earlier, and closes it. On SIGTERM it ends the service, and returns; with it
// the whole machine ends. Standard output is the log. REQUIRES: one thread.
void run_init(const Service& service, FileDescriptor report);

}  // namespace proa::lab
