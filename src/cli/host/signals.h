#pragma once

#include <csignal>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace proa::cli {

// Blocks SIGTERM and SIGINT in all threads started afterwards, and receives them one at a time.
class StopSignals {
 public:
  StopSignals();
  // Blocks; returns the name of the signal.
  std::string_view wait();
  // Nullopt on timeout.
  std::optional<std::string_view> wait_for(Duration time);
  // Unblocks: from now on a signal terminates the process.
  void release();

 private:
  sigset_t signals_;
};

}  // namespace proa::cli
