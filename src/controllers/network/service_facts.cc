#include "controllers/network/service_facts.h"

#include "api/object/view.h"
#include "api/validation/ip_address.h"
#include "controllers/framework/times.h"

namespace proa::controllers {
namespace service_facts_reader {

using api::View;

std::vector<IpFamily> families_of(View spec) {
  std::vector<IpFamily> families;
  for (const View family : spec["ipFamilies"].items()) {
    families.push_back(family.text() == "IPv6" ? IpFamily::kV6 : IpFamily::kV4);
  }
  if (!families.empty()) return families;
  // The API server fills them in, but an old object may lack them.
  if (const auto address = api::parse_ip(spec["clusterIP"].text())) {
    return {address->is_v4() ? IpFamily::kV4 : IpFamily::kV6};
  }
  return {IpFamily::kV4, IpFamily::kV6};
}

ServicePort port_of(View port) {
  ServicePort read;
  read.name = port["name"].text();
  read.protocol = port["protocol"].text("TCP");
  if (port["appProtocol"]) read.app_protocol = std::string(port["appProtocol"].text());
  read.target_number = port["targetPort"].integer();
  read.target_name = port["targetPort"].text();
  return read;
}

// The older annotation goes before the newer one, as upstream's hintsEnabled() has it.
bool has_topology_mode_auto(View annotations) {
  View mode = annotations["service.kubernetes.io/topology-aware-hints"];
  if (!mode) mode = annotations["service.kubernetes.io/topology-mode"];
  return mode.text() == "Auto" || mode.text() == "auto";
}

ServiceFacts read(const api::Object& service) {
  ServiceFacts facts;
  const Result<json::Document> document = service.document();
  if (!document) return facts;
  const View root = document->root();
  const View spec = root["spec"];
  // An empty one is stored as none.
  if (!spec["selector"].empty()) facts.selector = api::LabelSelector::from_map(spec["selector"]);
  const std::string_view address = spec["clusterIP"].text();
  facts.external_name = spec["type"].text() == "ExternalName";
  facts.headless = address == "None";
  facts.has_cluster_ip = !address.empty() && !facts.headless;
  facts.publish_not_ready = spec["publishNotReadyAddresses"].flag();
  facts.families = families_of(spec);
  for (const View port : spec["ports"].items()) facts.ports.push_back(port_of(port));
  facts.topology_mode_auto = has_topology_mode_auto(root["metadata"]["annotations"]);
  facts.traffic_distribution = spec["trafficDistribution"].text();
  facts.created = creation_of(root);
  return facts;
}

}  // namespace service_facts_reader

std::string_view name_of(IpFamily family) { return family == IpFamily::kV4 ? "IPv4" : "IPv6"; }

const ServiceFacts& service_facts(const api::Object& service) {
  return service.kept<ServiceFacts>([&] { return service_facts_reader::read(service); });
}

}  // namespace proa::controllers
