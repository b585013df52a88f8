#include "controllers/network/slices/slice_facts.h"

namespace proa::controllers {
namespace slice_facts_reader {

using api::View;

void count_hints(const SliceEndpoint& endpoint, SliceFacts& facts) {
  if (!endpoint.for_zones.empty() || !endpoint.for_nodes.empty()) facts.hinted = true;
  if (!endpoint.is_ready()) return;
  if (endpoint.for_zones.empty()) facts.ready_without_hint = true;
  for (const std::string_view zone : endpoint.for_zones) ++facts.hints_by_zone[std::string(zone)];
}

SliceFacts read(const api::Object& slice) {
  SliceFacts facts;
  const Result<json::Document> document = slice.document();
  if (!document) return facts;
  const View root = document->root();
  facts.address_type = root["addressType"].text();
  facts.ports = ports_key(read_slice_ports(root["ports"]));
  facts.endpoints.reserve(root["endpoints"].size());
  for (const View item : root["endpoints"].items()) {
    const SliceEndpoint endpoint = SliceEndpoint::read(item);
    facts.endpoints.push_back(endpoint.mark());
    count_hints(endpoint, facts);
  }
  return facts;
}

}  // namespace slice_facts_reader

const SliceFacts& slice_facts(const api::Object& slice) {
  return slice.kept<SliceFacts>([&] { return slice_facts_reader::read(slice); });
}

std::string_view service_of_slice(const api::Object& slice, std::string_view manager) {
  const std::string_view* managed_by = slice.metadata().label(kSliceManagerLabel);
  if (managed_by == nullptr || *managed_by != manager) return {};
  const std::string_view* service = slice.metadata().label(kServiceNameLabel);
  return service == nullptr ? std::string_view() : *service;
}

}  // namespace proa::controllers
