#pragma once

#include <string>
#include <string_view>

namespace proa::kubelet {

// The messages of grpc.health.v1: a HealthCheckRequest for a service, and the status name in a
// HealthCheckResponse: "SERVING"; "UNKNOWN" if it cannot be decoded.
std::string print_health_request(std::string_view service);
std::string read_health_answer(std::string_view message);

}  // namespace proa::kubelet
