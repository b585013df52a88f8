#pragma once

#include <cstdint>
#include <string_view>

// Signals in CRI's numbering, which differs from Linux's.

namespace proa::kubelet::cri {

// "SIGTERM", "SIGRTMIN+3"; empty for zero (the runtime's default) and unknown numbers.
std::string_view signal_name(int64_t number);
// Zero for unknown names.
int64_t signal_number(std::string_view name);

}  // namespace proa::kubelet::cri
