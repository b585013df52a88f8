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

// Asks again and again until it is so; false when it is not within that time.
template <class Question>
bool holds_within(std::chrono::seconds limit, const Question& question) {
  const auto end = std::chrono::steady_clock::now() + patient(limit);
  while (!question()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace proa::testkit
