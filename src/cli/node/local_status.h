#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/time.h"
#include "cli/node/node_paths.h"

namespace proa::cli {

// What the machine itself tells about a data directory, without a server.
struct LocalStatus {
  struct Runtime {
    std::string socket = {};
    bool runs = false;
  };
  struct Disk {
    uint64_t free_bytes = 0;
    uint64_t total_bytes = 0;
  };
  struct Certificate {
    std::string name = {};  // "server"
    Time not_after = {};
  };
  std::optional<pid_t> process = {};
  std::optional<Runtime> runtime = {};  // none: no node ran from here
  std::optional<Disk> disk = {};
  std::vector<Certificate> certificates = {};
};

LocalStatus read_local_status(Files& files, const NodePaths& place);

}  // namespace proa::cli
