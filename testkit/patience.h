#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace proa::testkit {

// The timeout of a test that runs other programs: that of an ordinary machine times
// PROA_TEST_PATIENCE. Emulated processors are many times slower.
template <class Duration>
Duration patient(Duration limit) {
  const char* factor = std::getenv("PROA_TEST_PATIENCE");
  return limit * (factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

// Polls until the answer is yes; false on timeout. For other programs, and threads that signal
// nothing a test could wait for; elsewhere a clock or a latch is exact. Polls often at first, since
// most answers come quickly.
template <class Question>
bool holds_within(std::chrono::seconds limit, const Question& question) {
  const auto end = std::chrono::steady_clock::now() + patient(limit);
  std::chrono::milliseconds pause(1);
  while (!question()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace proa::testkit
