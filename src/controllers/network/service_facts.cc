#include "controllers/network/service_facts.h"

#include "base/net/ip_address.h"
#include "controllers/network/objects.h"

namespace proa::controllers {
namespace service_facts_reader {

std::vector<IpFamily> families_of(const network::ServiceSpec& spec) {
  std::vector<IpFamily> families;
  for (const std::string& family : spec.families) {
    families.push_back(family == "IPv6" ? IpFamily::kV6 : IpFamily::kV4);
  }
  if (!families.empty()) return families;
  // The API server defaults them; old objects may lack them.
  if (const auto address = parse_ip(spec.cluster_ip)) {
    return {address->is_v4() ? IpFamily::kV4 : IpFamily::kV6};
  }
  return {IpFamily::kV4, IpFamily::kV6};
}

ServicePort port_of(const network::ServicePortSpec& port) {
  ServicePort read;
  read.name = port.name;
  read.protocol = port.protocol;
  read.app_protocol = port.app_protocol;
  read.target_number = port.target.number();
  read.target_name = port.target.text();
  return read;
}

// The older annotation takes precedence, as in upstream's hintsEnabled().
bool has_topology_mode_auto(const network::ServiceAnnotations& annotations) {
  const auto& mode =
      annotations.topology_hints ? annotations.topology_hints : annotations.topology_mode;
  return mode == "Auto" || mode == "auto";
}

ServiceFacts read(const api::Object& object) {
  ServiceFacts facts;
  Result<network::Service> service = api::decode<network::Service>(object);
  if (!service) return facts;
  network::ServiceSpec& spec = service->spec;
  // An empty selector is treated as absent.
  if (spec.selector && !spec.selector->selector.matches_everything()) {
    facts.selector = std::move(spec.selector->selector);
  }
  facts.external_name = spec.type == "ExternalName";
  facts.headless = spec.cluster_ip == "None";
  facts.has_cluster_ip = !spec.cluster_ip.empty() && !facts.headless;
  facts.publish_not_ready = spec.publish_not_ready;
  facts.families = families_of(spec);
  for (const network::ServicePortSpec& port : spec.ports) facts.ports.push_back(port_of(port));
  facts.topology_mode_auto = has_topology_mode_auto(service->metadata.annotations);
  facts.traffic_distribution = std::move(spec.traffic_distribution);
  facts.created = service->metadata.created;
  return facts;
}

}  // namespace service_facts_reader

std::string_view name_of(IpFamily family) { return family == IpFamily::kV4 ? "IPv4" : "IPv6"; }

const ServiceFacts& service_facts(const api::Object& service) {
  return service.kept<ServiceFacts>([&] { return service_facts_reader::read(service); });
}

}  // namespace proa::controllers
