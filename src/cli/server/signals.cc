#include "cli/server/signals.h"

#include <pthread.h>

namespace proa::cli {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  // A peer that went away is an error of that write, not the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string_view StopSignals::wait() {
  int signal = 0;
  while (sigwait(&signals_, &signal) != 0) {
  }
  return signal == SIGINT ? "SIGINT" : "SIGTERM";
}

void StopSignals::release() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

}  // namespace proa::cli
