#include "controllers/lifecycle/api_services/availability.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace proa::controllers::api_services {
namespace availability {

using api::View;

constexpr std::string_view kAvailable = "Available";

Condition unavailable(std::string_view reason, std::string message) {
  return {.type = kAvailable, .status = "False", .reason = reason, .message = std::move(message)};
}

// "service/metrics in "kube-system"".
std::string text_of(const ServiceReference& reference) {
  return fmt::format("service/{} in \"{}\"", reference.name, reference.name_space);
}

// Upstream's hasAvailableEndpoint.
bool has_endpoint(View slice, std::string_view port) {
  const auto endpoints = slice["endpoints"].items();
  const auto ports = slice["ports"].items();
  return std::ranges::any_of(endpoints,
                             [](View one) { return one["conditions"]["ready"].flag(true); }) &&
         std::ranges::any_of(ports, [&](View one) {
           return one["name"].exists() && one["name"].text() == port && one["port"].exists();
         });
}

// Nullopt: nothing is wrong with it.
std::optional<Condition> check_endpoints(const ServiceReference& reference, View service,
                                         std::span<const View> slices) {
  const auto ports = service["spec"]["ports"].items();
  const auto found = std::ranges::find_if(
      ports, [&](View port) { return port["port"].integer() == reference.port; });
  if (found == ports.end()) {
    return unavailable("ServicePortError", fmt::format("{} is not listening on port {}",
                                                       text_of(reference), reference.port));
  }
  if (slices.empty()) {
    return unavailable("EndpointsNotFound", "cannot find endpointslices for " + text_of(reference));
  }
  const std::string_view port = View(*found)["name"].text();
  if (std::ranges::none_of(slices, [&](View slice) { return has_endpoint(slice, port); })) {
    return unavailable("MissingEndpoints",
                       fmt::format("endpointslices for {} have no addresses with port name \"{}\"",
                                   text_of(reference), port));
  }
  return std::nullopt;
}

}  // namespace availability

ServiceReference ServiceReference::read(api::View service) {
  return {.name_space = std::string(service["namespace"].text()),
          .name = std::string(service["name"].text()),
          .port = service["port"].integer(443)};
}

Condition local_availability() {
  return {.type = availability::kAvailable,
          .status = "True",
          .reason = "Local",
          .message = "Local APIServices are always available"};
}

Condition remote_availability(const ServiceReference& reference, api::View service,
                              std::span<const api::View> slices,
                              const std::function<Result<void>()>& probe) {
  using namespace availability;
  if (!service) return unavailable("ServiceNotFound", text_of(reference) + " is not present");
  // Others may have endpoints that are not in the cluster.
  if (service["spec"]["type"].text() == "ClusterIP") {
    if (auto wrong = check_endpoints(reference, service, slices)) return *std::move(wrong);
  }
  if (const Result<void> answered = probe(); !answered) {
    return unavailable("FailedDiscoveryCheck", answered.status().message());
  }
  return {.type = kAvailable, .status = "True", .reason = "Passed", .message = "all checks passed"};
}

}  // namespace proa::controllers::api_services
