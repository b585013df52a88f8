#include "apiserver/streaming/service_origin.h"

#include <fmt/format.h>

#include "apiserver/streaming/origins.h"

namespace proa::apiserver {
namespace service_origin {

using api::View;

constexpr int64_t kMaxPort = 65535;
constexpr std::string_view kServiceName = "kubernetes.io/service-name";

Status unavailable(std::string message) {
  return {Reason::kServiceUnavailable, std::move(message)};
}

// Null if the Service does not have it.
View port_of(View service, int64_t wanted) {
  for (const View port : service["spec"]["ports"].items()) {
    if (port["port"].integer() == wanted) return port;
  }
  return {};
}

// In a slice; zero if it does not have it.
int number_of(View slice, std::string_view port) {
  for (const View each : slice["ports"].items()) {
    const int64_t number = each["port"].integer();
    if (each["name"].text() == port && number > 0 && number <= kMaxPort)
      return static_cast<int>(number);
  }
  return 0;
}

struct Candidate {
  std::string address;
  int port = 0;
  std::string pod;  // empty: it is none
};

Result<std::vector<Candidate>> candidates_of(const ObjectReader& objects,
                                             const ServicePort& service, std::string_view port) {
  std::vector<Candidate> found;
  const auto slices = TRY(objects.list("discovery.k8s.io", "endpointslices", service.name_space));
  for (const api::ObjectPtr& slice : slices) {
    const std::string_view* of = slice->metadata().label(kServiceName);
    if (of == nullptr || *of != service.name) continue;
    const json::Document document = TRY(slice->document());
    const View root(document.root());
    const int number = number_of(root, port);
    if (number == 0) continue;
    for (const View endpoint : root["endpoints"].items()) {
      const std::string_view address = endpoint["addresses"].item(0).text();
      if (!endpoint["conditions"]["ready"].flag(true) || !may_be_reached(address)) continue;
      const View target = endpoint["targetRef"];
      const bool is_pod = target["kind"].text() == "Pod";
      found.push_back({.address = std::string(address),
                       .port = number,
                       .pod = std::string(is_pod ? target["name"].text() : "")});
    }
  }
  return found;
}

}  // namespace service_origin

Result<http::Origin> find_service(const ObjectReader& objects, const ServicePort& service,
                                  Random& random, PodEgress egress) {
  using namespace service_origin;
  const Result<json::Document> document =
      document_of(objects, "services", service.name_space, service.name);
  if (document.is(Reason::kNotFound))
    return unavailable(fmt::format("service \"{}\" not found", service.name));
  if (!document) return document.status();
  const View root(document->root());
  if (root["spec"]["type"].text() == "ExternalName") {
    return external_origin(root["spec"]["externalName"].text(), static_cast<int>(service.port));
  }
  const View port = port_of(root, service.port);
  if (!port)
    return unavailable(
        fmt::format("no service port {} found for service \"{}\"", service.port, service.name));
  const std::vector<Candidate> candidates =
      TRY(candidates_of(objects, service, port["name"].text()));
  if (candidates.empty())
    return unavailable(fmt::format("no endpoints available for service \"{}\"", service.name));
  const Candidate& chosen = candidates[random.below(candidates.size())];
  http::Origin origin = origin_of("https", chosen.address, chosen.port);
  if (chosen.pod.empty()) return origin;
  const Result<json::Document> pod = document_of(objects, "pods", service.name_space, chosen.pod);
  if (pod && has_address(pod->root(), chosen.address))
    TRY(set_way(objects, pod->root(), egress, origin));
  return origin;
}

}  // namespace proa::apiserver
