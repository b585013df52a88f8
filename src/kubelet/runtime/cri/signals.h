#pragma once

#include <cstdint>
#include <string_view>

// Signals as CRI numbers them, which is neither Linux's way nor that of any processor.

namespace proa::kubelet::cri {

// "SIGTERM", "SIGRTMIN+3"; empty for zero, which means "as the runtime sees fit", and for numbers
// that nobody knows.
std::string_view signal_name(int64_t number);
// Zero for names that nobody knows.
int64_t signal_number(std::string_view name);

}  // namespace proa::kubelet::cri
