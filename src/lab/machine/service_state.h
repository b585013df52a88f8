#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proa::lab {

enum class ServicePhase : uint8_t {
  kStarting,
  kRunning,
  kStopped,  // it exited with code 0, on purpose, and stays down
  kFailing,  // it exited otherwise, is restarted, and was not ready since
};

// "failing"
std::string_view name_of(ServicePhase phase);

// What became of a service. The first process of a machine keeps it in a file.
struct ServiceState {
  ServicePhase phase = ServicePhase::kStarting;
  int restarts = 0;   // after failures, since somebody started it
  int exit_code = 0;  // of the last failure; 128 + N for signal N, as of containers

  bool operator==(const ServiceState&) const = default;
};

// One line.
std::string print_service_state(const ServiceState& state);
// Reads the first line; nullopt if it is none of the above.
std::optional<ServiceState> parse_service_state(std::string_view text);

}  // namespace proa::lab
