#pragma once

#include <csignal>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace proa::cli {

// `proa down` sends this one instead of SIGTERM: the pods stop, too. Its value is grace_value().
inline constexpr int kStopWithPods = SIGUSR1;
// Nullopt: each pod gets its own grace period.
int grace_value(std::optional<Duration> most_grace);

// Blocks SIGTERM, SIGINT and kStopWithPods in all threads started afterwards, and receives them one
// at a time.
class StopSignals {
 public:
  StopSignals();
  // Blocks; returns the name of the signal.
  std::string_view wait();
  // Nullopt on timeout.
  std::optional<std::string_view> wait_for(Duration time);
  // If the pods shall stop with this process, the most grace that one gets. That is so if the last
  // signal was kStopWithPods, or if the service manager sent SIGTERM because the machine shuts
  // down.
  std::optional<Duration> pods_grace() const;
  // Unblocks: from now on a signal terminates the process.
  void release();

 private:
  std::string_view note(const siginfo_t& signal);

  sigset_t signals_;
  siginfo_t last_{};
};

// Whether systemd is shutting this machine down.
bool machine_shuts_down();

}  // namespace proa::cli
