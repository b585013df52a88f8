#pragma once

#include <csignal>
#include <string_view>

namespace proa::cli {

// SIGTERM and SIGINT, held back from all threads that start after this and taken one by one.
class StopSignals {
 public:
  StopSignals();
  // The name of the signal that came.
  std::string_view wait();
  // From now on a signal ends the process at once.
  void release();

 private:
  sigset_t signals_;
};

}  // namespace proa::cli
