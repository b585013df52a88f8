#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace proa::testkit {

// How long a test that drives other programs waits before it gives up: the limit of an ordinary
// machine, times PROA_TEST_PATIENCE. Where processors are emulated everything takes many times
// longer.
template <class Duration>
Duration patient(Duration limit) {
  const char* factor = std::getenv("PROA_TEST_PATIENCE");
  return limit * (factor == nullptr ? 1 : std::max(1, std::atoi(factor)));
}

// Asks until the answer is yes; false if it is still no after that time. For other programs, and
// threads that signal nothing a test could wait for; elsewhere a clock or a latch is exact. Asks
// often at first, since most answers come at once.
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
