#include "kubelet/runtime/cri/signals.h"

#include <algorithm>
#include <array>

namespace proa::kubelet::cri {
namespace signals {

// By number.
constexpr std::array<std::string_view, 66> kNames{"",
                                                  "SIGABRT",
                                                  "SIGALRM",
                                                  "SIGBUS",
                                                  "SIGCHLD",
                                                  "SIGCLD",
                                                  "SIGCONT",
                                                  "SIGFPE",
                                                  "SIGHUP",
                                                  "SIGILL",
                                                  "SIGINT",
                                                  "SIGIO",
                                                  "SIGIOT",
                                                  "SIGKILL",
                                                  "SIGPIPE",
                                                  "SIGPOLL",
                                                  "SIGPROF",
                                                  "SIGPWR",
                                                  "SIGQUIT",
                                                  "SIGSEGV",
                                                  "SIGSTKFLT",
                                                  "SIGSTOP",
                                                  "SIGSYS",
                                                  "SIGTERM",
                                                  "SIGTRAP",
                                                  "SIGTSTP",
                                                  "SIGTTIN",
                                                  "SIGTTOU",
                                                  "SIGURG",
                                                  "SIGUSR1",
                                                  "SIGUSR2",
                                                  "SIGVTALRM",
                                                  "SIGWINCH",
                                                  "SIGXCPU",
                                                  "SIGXFSZ",
                                                  "SIGRTMIN",
                                                  "SIGRTMIN+1",
                                                  "SIGRTMIN+2",
                                                  "SIGRTMIN+3",
                                                  "SIGRTMIN+4",
                                                  "SIGRTMIN+5",
                                                  "SIGRTMIN+6",
                                                  "SIGRTMIN+7",
                                                  "SIGRTMIN+8",
                                                  "SIGRTMIN+9",
                                                  "SIGRTMIN+10",
                                                  "SIGRTMIN+11",
                                                  "SIGRTMIN+12",
                                                  "SIGRTMIN+13",
                                                  "SIGRTMIN+14",
                                                  "SIGRTMIN+15",
                                                  "SIGRTMAX-14",
                                                  "SIGRTMAX-13",
                                                  "SIGRTMAX-12",
                                                  "SIGRTMAX-11",
                                                  "SIGRTMAX-10",
                                                  "SIGRTMAX-9",
                                                  "SIGRTMAX-8",
                                                  "SIGRTMAX-7",
                                                  "SIGRTMAX-6",
                                                  "SIGRTMAX-5",
                                                  "SIGRTMAX-4",
                                                  "SIGRTMAX-3",
                                                  "SIGRTMAX-2",
                                                  "SIGRTMAX-1",
                                                  "SIGRTMAX"};

}  // namespace signals

std::string_view signal_name(int64_t number) {
  const bool known = number > 0 && number < static_cast<int64_t>(signals::kNames.size());
  return known ? signals::kNames[static_cast<size_t>(number)] : std::string_view();
}

int64_t signal_number(std::string_view name) {
  const auto found = std::find(signals::kNames.begin(), signals::kNames.end(), name);
  return found == signals::kNames.end() ? 0 : found - signals::kNames.begin();
}

}  // namespace proa::kubelet::cri
