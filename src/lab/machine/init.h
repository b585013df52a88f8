#pragma once

#include <signal.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace proa::lab {

// What a service does, as told in Service::state. Any other text says how it ended; it is started
// again then.
inline constexpr std::string_view kServiceStarts = "starting";
inline constexpr std::string_view kServiceRuns = "running";
// It ended by itself with code 0: on purpose. kStartService, sent to the first process, starts it.
inline constexpr std::string_view kServiceStopped = "stopped";
inline constexpr int kStartService = SIGHUP;

// What the first process of a machine runs.
struct Service {
  std::vector<std::string> words = {};        // the path of a program and its arguments
  std::vector<std::string> environment = {};  // "NAME=value"
  std::function<void()> function = {};        // instead of a program
  bool reports = false;                       // it says when it is ready, as systemd's services do
  FileDescriptor state = {};                  // a file that is kept up to date
};

// The first process of a PID namespace: starts the service, starts it again when it fails, and
// reaps every process that lost its parent. Writes "ready" to `report` when the service is, or how
// it ended if that is earlier, and closes it. On SIGTERM it ends the service, and returns; with it
// the whole machine ends. Standard output is the log. REQUIRES: one thread.
void run_init(const Service& service, FileDescriptor report);

}  // namespace proa::lab
