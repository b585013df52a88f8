#include "cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "load/closed_loop.h"

namespace proa::dns_bench {
namespace cluster {

constexpr uint32_t kFirstService = 0x0a600100;   // 10.96.1.0
constexpr uint32_t kFirstEndpoint = 0x0a800001;  // 10.128.0.1

IpAddress address(uint32_t number) {
  return parse_ip(fmt::format("{}.{}.{}.{}", number >> 24, number >> 16 & 255, number >> 8 & 255,
                              number & 255))
      .value();
}

// Creates Services, each followed by its endpoints.
class Creation final : public load::Workload {
 public:
  explicit Creation(size_t slots) : requests_(slots) {}

  const load::Request* next(size_t slot) override {
    const uint32_t service = next_ / 2;
    if (service == kServices) return nullptr;
    const bool slice = next_++ % 2 == 1;
    requests_[slot] = {.method = "POST",
                       .path = slice ? "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
                                     : "/api/v1/namespaces/default/services",
                       .body = slice ? slice_body(service) : service_body(service)};
    return &requests_[slot];
  }
  bool wants_bodies() const override { return true; }

 private:
  uint32_t next_ = 0;
  std::vector<load::Request> requests_;
};

}  // namespace cluster

std::string name_of(uint32_t service) { return fmt::format("service-{}", service); }

IpAddress service_address(uint32_t service) {
  return cluster::address(cluster::kFirstService + service);
}

IpAddress endpoint_address(uint32_t service, uint32_t endpoint) {
  return cluster::address(cluster::kFirstEndpoint + service * kEndpoints + endpoint);
}

std::string endpoint_hostname(uint32_t service, uint32_t endpoint) {
  return is_headless(service) ? fmt::format("pod-{}", endpoint) : "";
}

std::string service_body(uint32_t service) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}"}},"spec":{{"clusterIP":"{}",)"
      R"("ports":[{{"name":"http","port":80,"targetPort":8080}}]}}}})",
      name_of(service), is_headless(service) ? "None" : service_address(service).str());
}

std::string slice_body(uint32_t service) {
  std::vector<std::string> endpoints;
  for (uint32_t i = 0; i < kEndpoints; ++i) {
    const std::string hostname = endpoint_hostname(service, i);
    endpoints.push_back(
        fmt::format(R"({{"addresses":["{}"],"conditions":{{"ready":true}}{}}})",
                    endpoint_address(service, i).str(),
                    hostname.empty() ? "" : fmt::format(R"(,"hostname":"{}")", hostname)));
  }
  return fmt::format(
      R"({{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{"name":"{0}-x7k2p",)"
      R"("namespace":"default","labels":{{"kubernetes.io/service-name":"{0}"}}}},)"
      R"("addressType":"IPv4","ports":[{{"name":"http","port":8080,"protocol":"TCP"}}],)"
      R"("endpoints":[{1}]}})",
      name_of(service), fmt::join(endpoints, ","));
}

std::string full_name(uint32_t number) {
  // Neighbours in memory are not neighbours in time.
  constexpr uint32_t kStep = 7919;
  return name_of(number * kStep % kServices) + ".default.svc.cluster.local";
}

void create_all(const load::Target& target, pid_t server) {
  constexpr load::Shape kShape{load::Protocol::kHttp2, 4, 8};
  cluster::Creation creation(static_cast<size_t>(kShape.connections * kShape.streams));
  load::Meter unread(server);
  load::run_closed_loop(target, kShape, creation, 0, unread);
}

}  // namespace proa::dns_bench
