#pragma once

#include <csignal>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace proa::cli {

// SIGTERM and SIGINT, held back from all threads that start after this and taken one by one.
class StopSignals {
 public:
  StopSignals();
  // The name of the signal that came.
  std::string_view wait();
  // None when the time was over first.
  std::optional<std::string_view> wait_for(Duration time);
  // From now on a signal ends the process at once.
  void release();

 private:
  sigset_t signals_;
};

}  // namespace proa::cli
