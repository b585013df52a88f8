#pragma once

#include <string>
#include <string_view>

namespace proa::kubelet {

// The two messages of grpc.health.v1: a HealthCheckRequest for a service, and the name of the
// status that a HealthCheckResponse carries: "SERVING". What can't be read is "UNKNOWN".
std::string print_health_request(std::string_view service);
std::string read_health_answer(std::string_view message);

}  // namespace proa::kubelet
