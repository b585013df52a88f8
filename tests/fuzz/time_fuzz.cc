// Parsed times and durations print as text that parses to the same.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/time.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace proa;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto time = parse_time(text); time.ok()) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
    CHECK(*parse_time(format_time(*time)) == seconds);
    CHECK(*parse_time(format_micro_time(*time)) ==
          std::chrono::floor<std::chrono::microseconds>(*time));
  }
  if (const auto duration = parse_duration(text); duration.ok()) {
    CHECK(*parse_duration(format_duration(*duration)) == *duration);
  }
  return 0;
}
