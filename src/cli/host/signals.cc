#include "cli/host/signals.h"

#include <pthread.h>

namespace proa::cli {
namespace signals {

std::string_view name_of(int signal) { return signal == SIGINT ? "SIGINT" : "SIGTERM"; }

}  // namespace signals

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  // Writing to a closed connection returns an error instead of terminating the process.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string_view StopSignals::wait() {
  int signal = 0;
  while (sigwait(&signals_, &signal) != 0) {
  }
  return signals::name_of(signal);
}

std::optional<std::string_view> StopSignals::wait_for(Duration time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  const timespec limit{.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  const int signal = sigtimedwait(&signals_, nullptr, &limit);
  if (signal < 0) return std::nullopt;
  return signals::name_of(signal);
}

void StopSignals::release() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

}  // namespace proa::cli
