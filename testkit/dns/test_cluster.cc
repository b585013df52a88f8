#include "testkit/dns/test_cluster.h"

#include <vector>

#include "base/check.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::testkit {
namespace test_cluster {

size_t write(const FakeForwarder::Answer& answer, const dns::Query& query,
             std::span<uint8_t> response) {
  dns::Writer writer(response, query.limit());
  writer.begin_response(query);
  const dns::Rcode rcode = answer(query, writer);
  return writer.finish(rcode, {.recursion_available = true});
}

}  // namespace test_cluster

void load_cluster(std::string_view yaml, dns::Index& index) {
  const auto documents = json::parse_yaml_stream(yaml);
  CHECK(documents.ok());
  for (const json::Document& document : *documents) {
    if (document.root().is_null()) continue;
    const api::ObjectPtr object = api::Object::make(json::print(document.root()));
    const api::Metadata& metadata = object->metadata();
    const json::Value* kind = document.root().find("kind");
    CHECK(kind != nullptr);
    if (kind->as_string() == "Namespace") {
      index.set_namespace(metadata.name, true);
    } else if (kind->as_string() == "Service") {
      index.set_service(metadata.name_space, metadata.name, dns::read_service(*object));
    } else {
      index.set_slice(metadata.name_space, dns::service_of(*object), metadata.name,
                      dns::read_slice(*object));
    }
  }
}

size_t FakeForwarder::cached(const dns::Query& query, std::span<uint8_t> response) {
  return caches ? test_cluster::write(answer_, query, response) : 0;
}

void FakeForwarder::ask(const dns::Query& query, Reply reply) {
  if (silent) return;
  std::vector<uint8_t> response(query.limit());
  response.resize(test_cluster::write(answer_, query, response));
  reply(response);
}

TestDnsServer::TestDnsServer(dns::ClusterState& cluster, dns::Forwarder* forwarder, size_t threads,
                             Duration idle)
    : address_(parse_ip("127.0.0.1").value()),
      handler_({.cluster = cluster,
                .clock = clock_,
                .statistics = statistics_,
                .forwarder = forwarder}) {
  auto udp = dns::UdpServer::start({.handler = handler_,
                                    .access = access_,
                                    .statistics = statistics_,
                                    .addresses = {address_},
                                    .port = 0,
                                    .threads = threads});
  CHECK(udp.ok());
  udp_ = std::move(*udp);
  auto tcp = dns::TcpServer::start({.handler = handler_,
                                    .access = access_,
                                    .statistics = statistics_,
                                    .clock = clock_,
                                    .addresses = {address_},
                                    .port = 0,
                                    .idle = idle});
  CHECK(tcp.ok());
  tcp_ = std::move(*tcp);
}

}  // namespace proa::testkit
