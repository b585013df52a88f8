#include "kinds/core/services/service_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace proa::kinds {

namespace service_facts {

std::set<int64_t> node_ports(View spec) {
  std::set<int64_t> ports;
  for (const View port : spec["ports"].items()) {
    if (const int64_t number = port["nodePort"].integer(); number != 0) ports.insert(number);
  }
  return ports;
}

bool same_text(View text, View other) { return text.text() == other.text(); }

bool same_cluster_ips(View spec, View old) {
  return same_text(spec["clusterIP"], old["clusterIP"]) &&
         same_list(spec["clusterIPs"], old["clusterIPs"]);
}

void set_cluster_ips(api::Edit spec, std::string_view address) {
  // A copy: setting the list may move the source.
  json::Value list = json::Value::array();
  list.push_back(spec.arena(), json::Value::string(spec.arena(), address));
  spec.set("clusterIPs", std::move(list));
}

// As upstream's normalizeClusterIPs: old clients only know clusterIP.
void align_cluster_ips(api::Edit spec, View old) {
  const std::string_view address = spec["clusterIP"].text();
  if (!old) {
    if (!address.empty() && spec["clusterIPs"].empty()) set_cluster_ips(spec, address);
    return;
  }
  const std::string_view before = old["clusterIP"].text();
  if (!old["clusterIPs"].empty() && spec["clusterIPs"].empty() && address == before) {
    spec.copy("clusterIPs", old["clusterIPs"]);
  }
  if (address == before || !same_list(spec["clusterIPs"], old["clusterIPs"])) return;
  if (address.empty()) {
    spec.remove("clusterIPs");
  } else {
    set_cluster_ips(spec, address);
  }
}

// Ports without a node port keep the one of the old port with the same name, unless another port
// uses it now.
void restore_node_ports(api::Edit spec, View old) {
  if (spec["ports"].empty()) return;
  const std::set<int64_t> before = node_ports(old);
  const std::set<int64_t> now = node_ports(spec.view());
  std::map<std::string_view, int64_t> by_name;
  for (const View port : old["ports"].items()) {
    by_name[port["name"].text()] = port["nodePort"].integer();
  }
  const api::Edit ports = spec.existing("ports");
  for (size_t i = 0; i < ports.size(); ++i) {
    const api::Edit port = ports.item(i);
    if (port["nodePort"].integer() != 0) continue;
    const auto found = by_name.find(port["name"].text());
    if (found == by_name.end() || found->second == 0) continue;
    if (before.contains(found->second) && now.contains(found->second)) continue;
    port.set("nodePort", found->second);
  }
}

void drop_node_ports(api::Edit spec) {
  if (spec["ports"].empty()) return;
  const api::Edit ports = spec.existing("ports");
  for (size_t i = 0; i < ports.size(); ++i) ports.item(i).remove("nodePort");
}

void drop_if_same(api::Edit spec, View old, std::string_view name) {
  if (spec[name] == old[name]) spec.remove(name);
}

}  // namespace service_facts

bool needs_cluster_ip(View spec) { return spec["type"].text() != "ExternalName"; }

bool is_headless(View spec) {
  return spec["clusterIPs"].size() == 1 && spec["clusterIPs"].item(0).text() == "None";
}

bool needs_node_port(View spec) {
  const std::string_view type = spec["type"].text();
  return type == "NodePort" || type == "LoadBalancer";
}

bool needs_health_check_node_port(View spec) {
  return spec["type"].text() == "LoadBalancer" && spec["externalTrafficPolicy"].text() == "Local";
}

bool is_externally_accessible(View spec) {
  return needs_node_port(spec) ||
         (spec["type"].text() == "ClusterIP" && !spec["externalIPs"].empty());
}

bool same_list(View list, View other) { return (list.empty() && other.empty()) || list == other; }

void complete_service(api::Edit object, View old) {
  const api::Edit spec = object.object("spec");
  const View before = old["spec"];
  if (!before) return service_facts::align_cluster_ips(spec, before);
  if (needs_cluster_ip(before) && needs_cluster_ip(spec.view())) {
    if (spec["clusterIP"].text().empty()) spec.copy("clusterIP", before["clusterIP"]);
    if (spec["clusterIPs"].empty()) spec.copy("clusterIPs", before["clusterIPs"]);
  }
  if (needs_node_port(before) && needs_node_port(spec.view())) {
    service_facts::restore_node_ports(spec, before);
  }
  if (needs_health_check_node_port(before) && needs_health_check_node_port(spec.view()) &&
      spec["healthCheckNodePort"].integer() == 0) {
    spec.copy("healthCheckNodePort", before["healthCheckNodePort"]);
  }
  service_facts::align_cluster_ips(spec, before);
}

void drop_fields_of_old_type(api::Edit object, View old) {
  const api::Edit spec = object.object("spec");
  const View now = spec.view();
  const View before = old["spec"];
  if (needs_cluster_ip(before) && !needs_cluster_ip(now)) {
    if (service_facts::same_cluster_ips(now, before)) {
      spec.remove("clusterIP");
      spec.remove("clusterIPs");
    }
    if (same_list(now["ipFamilies"], before["ipFamilies"])) spec.remove("ipFamilies");
    service_facts::drop_if_same(spec, before, "ipFamilyPolicy");
  }
  if (needs_node_port(before) && !needs_node_port(now)) {
    const auto old_ports = service_facts::node_ports(before);
    const auto new_ports = service_facts::node_ports(now);
    if (std::includes(old_ports.begin(), old_ports.end(), new_ports.begin(), new_ports.end())) {
      service_facts::drop_node_ports(spec);
    }
  }
  if (needs_health_check_node_port(before) && !needs_health_check_node_port(now)) {
    service_facts::drop_if_same(spec, before, "healthCheckNodePort");
  }
  const bool is_balanced = now["type"].text() == "LoadBalancer";
  if (before["type"].text() == "LoadBalancer" && !is_balanced) {
    service_facts::drop_if_same(spec, before, "allocateLoadBalancerNodePorts");
    service_facts::drop_if_same(spec, before, "loadBalancerClass");
  }
  if (is_externally_accessible(before) && !is_externally_accessible(now)) {
    service_facts::drop_if_same(spec, before, "externalTrafficPolicy");
  }
  // The load balancer is removed asynchronously; its status is dropped at once.
  if (!is_balanced && object["status"]["loadBalancer"].size() > 0) {
    object.existing("status").set("loadBalancer", json::Value::object());
  }
}

}  // namespace proa::kinds
