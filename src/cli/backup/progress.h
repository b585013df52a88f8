#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "cli/command_line/command.h"

namespace proa::cli {

// Prints progress of long operations; short ones print nothing.
class Progress {
 public:
  // REQUIRES: terminal and clock outlive it.
  Progress(Terminal& terminal, const Clock& clock)
      : terminal_(terminal), clock_(clock), printed_(clock.steady()) {}

  // Starts the next stage: `what` is done to so many bytes.
  void begin(std::string_view what, uint64_t total);
  void add(uint64_t bytes);

 private:
  Terminal& terminal_;
  const Clock& clock_;
  Steady printed_;
  std::string what_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
};

}  // namespace proa::cli
