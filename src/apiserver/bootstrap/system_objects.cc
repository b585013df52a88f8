#include "apiserver/bootstrap/system_objects.h"

#include "apiserver/resources/allocate/address_range.h"
#include "apiserver/resources/allocate/service_ranges.h"
#include "kinds/scheduling/priority_class.h"

namespace proa::apiserver {
namespace system_objects {

using api::Edit;

constexpr std::string_view kServer = "kubernetes";
constexpr int kServicePort = 443;

json::Document named(std::string_view name, std::string_view name_space = {}) {
  json::Document document({}, json::Value::object());
  const Edit metadata = Edit(document).object("metadata");
  metadata.set("name", name);
  if (!name_space.empty()) metadata.set("namespace", name_space);
  return document;
}

Edit push_port(Edit ports, int port) {
  const Edit item = ports.push_object();
  item.set("name", "https");
  item.set("protocol", "TCP");
  item.set("port", port);
  return item;
}

void push_text(Edit list, std::string_view text) {
  list.push(json::Value::string(list.arena(), text));
}

Wanted endpoints(const api::Schema& schema, const std::vector<IpAddress>& addresses, int port) {
  json::Document document = named(kServer, "default");
  const Edit object(document);
  // The EndpointSlice is created here too.
  object.object("metadata").object("labels").set("endpointslice.kubernetes.io/skip-mirror", "true");
  const Edit subset = object.array("subsets").push_object();
  const Edit list = subset.array("addresses");
  for (const IpAddress& address : addresses) list.push_object().set("ip", address.str());
  push_port(subset.array("ports"), port);
  return {.resource = *schema.find_resource("", "v1", "endpoints"),
          .document = std::move(document),
          .enforced = {"metadata.labels", "subsets"}};
}

Wanted endpoint_slice(const api::Schema& schema, const std::vector<IpAddress>& addresses,
                      int port) {
  json::Document document = named(kServer, "default");
  const Edit object(document);
  object.object("metadata").object("labels").set("kubernetes.io/service-name", kServer);
  object.set("addressType", family_of(addresses.front()));
  const Edit endpoints = object.array("endpoints");
  for (const IpAddress& address : addresses) {
    const Edit endpoint = endpoints.push_object();
    push_text(endpoint.array("addresses"), address.str());
    endpoint.object("conditions").set("ready", true);
  }
  push_port(object.array("ports"), port);
  return {.resource = *schema.find_resource("discovery.k8s.io", "v1", "endpointslices"),
          .document = std::move(document),
          .enforced = {"metadata.labels", "endpoints", "ports"},
          .identity = "addressType"};
}

}  // namespace system_objects

void add_namespaces(const api::Schema& schema, std::vector<Wanted>& objects) {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    objects.push_back({.resource = *schema.find_resource("", "v1", "namespaces"),
                       .document = system_objects::named(name)});
  }
}

void add_priority_classes(const api::Schema& schema, std::vector<Wanted>& objects) {
  for (const kinds::SystemPriorityClass& row : kinds::system_priority_classes()) {
    json::Document document = system_objects::named(row.name);
    const api::Edit object(document);
    object.set("value", row.value);
    object.set("description", row.description);
    objects.push_back(
        {.resource = *schema.find_resource("scheduling.k8s.io", "v1", "priorityclasses"),
         .document = std::move(document)});
  }
}

void add_service_cidr(const api::Schema& schema, const ServiceNetwork& network, bool widened,
                      std::vector<Wanted>& objects) {
  json::Document document = system_objects::named(kDefaultServiceCidr);
  const api::Edit cidrs = api::Edit(document).object("spec").array("cidrs");
  for (const IpPrefix& cidr : network.cidrs) system_objects::push_text(cidrs, cidr.str());
  Wanted wanted{.resource = *schema.find_resource("networking.k8s.io", "v1", "servicecidrs"),
                .document = std::move(document)};
  if (widened) wanted.enforced = {"spec.cidrs"};
  objects.push_back(std::move(wanted));
}

void add_server_service(const api::Schema& schema, const ServiceNetwork& network, int port,
                        std::vector<Wanted>& objects) {
  json::Document document = system_objects::named(system_objects::kServer, "default");
  const api::Edit object(document);
  const api::Edit labels = object.object("metadata").object("labels");
  labels.set("component", "apiserver");
  labels.set("provider", "kubernetes");
  const api::Edit spec = object.object("spec");
  spec.set("type", "ClusterIP");
  spec.set("clusterIP", AddressRange(network.cidrs[0]).at(0).str());
  spec.set("ipFamilyPolicy", "SingleStack");
  spec.set("sessionAffinity", "None");
  const api::Edit item =
      system_objects::push_port(spec.array("ports"), system_objects::kServicePort);
  if (port != 0) item.set("targetPort", port);
  objects.push_back(
      {.resource = *schema.find_resource("", "v1", "services"), .document = std::move(document)});
}

void add_server_endpoints(const api::Schema& schema, const std::vector<IpAddress>& addresses,
                          int port, std::vector<Wanted>& objects) {
  objects.push_back(system_objects::endpoints(schema, addresses, port));
  objects.push_back(system_objects::endpoint_slice(schema, addresses, port));
}

}  // namespace proa::apiserver
