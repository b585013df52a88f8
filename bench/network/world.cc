#include "world.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

#include "api/schema/builtin.h"
#include "json/parse.h"
#include "kernel_watch.h"
#include "load/closed_loop.h"
#include "node.h"

namespace proa::network_bench {
namespace world {

constexpr uint32_t kFirstService = 0x0a600100;  // 10.96.1.0

std::string service_name(size_t service) { return fmt::format("service-{}", service); }

std::string service_body(size_t service) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"{}"}},"spec":{{"clusterIP":"{}",)"
      R"("ports":[{{"name":"http","port":{},"targetPort":{}}}]}}}})",
      service_name(service), World::service_address(service), World::kServicePort,
      World::kEndpointPort);
}

std::string slice_body(size_t service, const std::vector<uint32_t>& endpoints) {
  std::vector<std::string> texts;
  texts.reserve(endpoints.size());
  for (const uint32_t endpoint : endpoints) {
    texts.push_back(fmt::format(R"({{"addresses":["{}"],"conditions":{{"ready":true}}}})",
                                address_text(endpoint)));
  }
  return fmt::format(
      R"({{"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{{"name":"{0}",)"
      R"("namespace":"default","labels":{{"kubernetes.io/service-name":"{0}"}}}},)"
      R"("addressType":"IPv4","ports":[{{"name":"http","port":{1},"protocol":"TCP"}}],)"
      R"("endpoints":[{2}]}})",
      service_name(service), World::kEndpointPort, fmt::join(texts, ","));
}

// Creates Services, each followed by its endpoints.
class Creation final : public load::Workload {
 public:
  Creation(size_t begin, const std::vector<std::vector<uint32_t>>& endpoints, size_t slots)
      : next_(2 * begin), endpoints_(endpoints), requests_(slots) {}

  const load::Request* next(size_t slot) override {
    const size_t service = next_ / 2;
    if (service == endpoints_.size()) return nullptr;
    const bool slice = next_++ % 2 == 1;
    requests_[slot] = {
        .method = "POST",
        .path = slice ? "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
                      : "/api/v1/namespaces/default/services",
        .body = slice ? slice_body(service, endpoints_[service]) : service_body(service)};
    return &requests_[slot];
  }
  bool wants_bodies() const override { return true; }

 private:
  size_t next_;
  const std::vector<std::vector<uint32_t>>& endpoints_;
  std::vector<load::Request> requests_;
};

// The administrator's, with the address that nodes reach.
std::string make_kubeconfig(const std::string& directory) {
  std::stringstream text;
  text << std::ifstream(directory + "/admin.kubeconfig").rdbuf();
  std::string content = text.str();
  constexpr std::string_view kLocal = "127.0.0.1";
  const size_t at = content.find(kLocal);
  if (at == std::string::npos) load::fail("the kubeconfig does not name 127.0.0.1");
  content.replace(at, kLocal.size(), kServerAddress);
  const std::string path = directory + "/node.kubeconfig";
  std::ofstream(path) << content;
  return path;
}

void create_node(const load::Target& target) {
  ask(target,
      {.method = "POST",
       .path = "/api/v1/nodes",
       .body = fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{}"}}}})",
                           kNodeName)});
  ask(target, {.method = "PATCH",
               .path = fmt::format("/api/v1/nodes/{}/status", kNodeName),
               .content_type = "application/merge-patch+json",
               .body = fmt::format(
                   R"({{"status":{{"addresses":[{{"type":"InternalIP","address":"{}"}}]}}}})",
                   kNodeAddress)});
}

}  // namespace world

std::string address_text(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

World::World(const std::string& directory)
    : server_(load::server_binary(), directory, "0.0.0.0",
              {"--tls-san", kServerAddress, "--service-cluster-ip-range", "10.96.0.0/12",
               "--controllers", "none", "--scheduler=false"}),
      kubeconfig_(world::make_kubeconfig(directory)),
      next_endpoint_(kFirstEndpoint + 1) {
  client_ =
      client::RemoteClient::make(
          loops_, clock_, files_,
          {.connection = client::read_kubeconfig(files_, directory + "/admin.kubeconfig").value()})
          .value();
  world::create_node(server_.target());
}

void World::grow(size_t services) {
  const size_t begin = endpoints_.size();
  while (endpoints_.size() < services) {
    endpoints_.push_back({next_endpoint_, next_endpoint_ + 1});
    next_endpoint_ += 2;
  }
  constexpr load::Shape kShape{load::Protocol::kHttp2, 4, 8};
  world::Creation creation(begin, endpoints_,
                           static_cast<size_t>(kShape.connections * kShape.streams));
  load::Meter unread(server_.pid());
  load::run_closed_loop(server_.target(), kShape, creation, 0, unread);
}

size_t World::endpoint_count() const {
  size_t count = 0;
  for (const auto& endpoints : endpoints_) count += endpoints.size();
  return count;
}

std::string World::service_address(size_t service) {
  return address_text(world::kFirstService + static_cast<uint32_t>(service));
}

std::string World::endpoint_of(size_t service) const {
  return address_text(endpoints_[service].front());
}

World::Change World::plan(size_t service, bool other_number) {
  Change change{.service = service, .endpoints = endpoints_[service], .added = next_endpoint_++};
  if (other_number && change.endpoints.size() == 1) {
    change.endpoints.push_back(change.added);
    return change;
  }
  if (other_number) change.endpoints.pop_back();
  change.endpoints.back() = change.added;
  return change;
}

void World::write(const Change& change) {
  endpoints_[change.service] = change.endpoints;
  const client::Place place{
      .resource = api::builtin_schema().find_resource("discovery.k8s.io", "v1", "endpointslices"),
      .name_space = "default",
      .name = world::service_name(change.service),
      .subresource = {}};
  client_
      ->update(place, json::parse_literal(world::slice_body(change.service, change.endpoints)), {},
               Until::after(clock_, std::chrono::seconds(30)))
      .value();
}

}  // namespace proa::network_bench
