#include "testkit/proxy/service_script.h"

#include <fmt/format.h>

#include "base/check.h"
#include "json/print.h"
#include "json/yaml.h"

namespace proa::testkit {
namespace service_script {

template <typename Item>
std::string text_of(const std::vector<Item>& items) {
  std::string text;
  for (const Item& item : items) {
    if (!text.empty()) text += ',';
    text += item.str();
  }
  return text.empty() ? "-" : text;
}

}  // namespace service_script

std::vector<ScriptedService> read_services(std::string_view yaml) {
  std::vector<ScriptedService> services;
  const auto documents = json::parse_yaml_stream(yaml);
  CHECK(documents.ok());
  for (const json::Document& document : *documents) {
    if (document.root().is_null()) continue;
    const api::ObjectPtr object = api::Object::make(json::print(document.root()));
    if (document.root().find("spec") != nullptr) {
      services.push_back({.service = object, .slices = {}});
    } else {
      CHECK(!services.empty());
      services.back().slices.push_back(object);
    }
  }
  return services;
}

std::vector<proxy::ServicePortPtr> ports_of(std::string_view yaml, const proxy::NodeFacts& node) {
  std::vector<proxy::ServicePortPtr> ports;
  for (const ScriptedService& scripted : read_services(yaml)) {
    proxy::ServiceState state = proxy::read_service(*scripted.service, scripted.slices, node);
    for (proxy::ServicePort& port : state.ports) {
      ports.push_back(std::make_shared<const proxy::ServicePort>(std::move(port)));
    }
  }
  return ports;
}

std::string describe(const proxy::ServicePort& port) {
  using service_script::text_of;
  std::string text = fmt::format("{} {} {}:{}", port.name.str(), name_of(port.name.protocol),
                                 port.cluster_ip.str(), port.port);
  if (port.node_port != 0) text += fmt::format(" node={}", port.node_port);
  if (!port.external_ips.empty()) text += " external=" + text_of(port.external_ips);
  if (!port.load_balancer_ips.empty()) text += " balancer=" + text_of(port.load_balancer_ips);
  if (!port.source_ranges.empty()) text += " from=" + text_of(port.source_ranges);
  if (port.affinity_seconds != 0) text += fmt::format(" affinity={}s", port.affinity_seconds);
  if (port.internal_local) text += " internal-local";
  if (port.external_local) text += " external-local";
  if (port.health_check_port != 0) text += fmt::format(" health={}", port.health_check_port);
  text += " cluster=" + text_of(port.cluster_endpoints);
  if (port.uses_local_endpoints()) text += " local=" + text_of(port.local_endpoints);
  if (!port.serving_endpoints.empty()) text += " serving=" + text_of(port.serving_endpoints);
  if (!port.has_endpoints) text += " none";
  return text;
}

}  // namespace proa::testkit
