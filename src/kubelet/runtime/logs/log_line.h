#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace proa::kubelet {

// A line of a CRI container log: "2026-01-02T15:04:05.123Z stdout F text\n". Views into the line.
struct LogLine {
  Time time = {};
  std::string_view time_text = {};
  bool is_stderr = false;
  // With its line end, unless the runtime split a longer line here or is still writing it.
  std::string_view text = {};
};

// Nullopt if it is not such a line. `line` with its line end, if it has one.
std::optional<LogLine> parse_log_line(std::string_view line);

// The time of a line as clients get it: nine digits of a second, in its original zone.
std::string log_time_text(std::string_view time_text);

}  // namespace proa::kubelet
