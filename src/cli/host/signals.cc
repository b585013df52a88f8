#include "cli/host/signals.h"

#include <pthread.h>

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "base/process/spawn.h"
#include "base/strings.h"

namespace proa::cli {
namespace signals {

constexpr Duration kSystemctlTimeout = std::chrono::seconds(5);

std::string_view name_of(int signal) {
  if (signal == kStopWithPods) return "SIGUSR1";
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

}  // namespace signals

int grace_value(std::optional<Duration> most_grace) {
  if (!most_grace) return 0;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*most_grace).count();
  return static_cast<int>(
      std::clamp<int64_t>(seconds, 0, std::numeric_limits<int>::max() - int64_t{1}) + 1);
}

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, kStopWithPods);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  // Writing to a closed connection returns an error instead of terminating the process.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string_view StopSignals::note(const siginfo_t& signal) {
  last_ = signal;
  return signals::name_of(signal.si_signo);
}

std::string_view StopSignals::wait() {
  siginfo_t signal{};
  while (sigwaitinfo(&signals_, &signal) < 0) {
  }
  return note(signal);
}

std::optional<std::string_view> StopSignals::wait_for(Duration time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  const timespec limit{.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  siginfo_t signal{};
  if (sigtimedwait(&signals_, &signal, &limit) < 0) return std::nullopt;
  return note(signal);
}

std::optional<Duration> StopSignals::pods_grace() const {
  if (last_.si_signo == kStopWithPods) {
    const int value = last_.si_code == SI_QUEUE ? last_.si_value.sival_int : 0;
    return value <= 0 ? Duration::max() : Duration(std::chrono::seconds(value - 1));
  }
  if (last_.si_signo == SIGTERM && machine_shuts_down()) return Duration::max();
  return std::nullopt;
}

void StopSignals::release() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

bool machine_shuts_down() {
  const std::optional<std::string> systemctl = find_program("systemctl");
  if (!systemctl) return false;
  const SystemClock clock;
  const auto state =
      run_to_end({*systemctl, "is-system-running"}, "", clock, signals::kSystemctlTimeout);
  return state.ok() && trim(state->output) == "stopping";
}

}  // namespace proa::cli
