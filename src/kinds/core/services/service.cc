#include "kinds/core/services/service.h"

#include <fmt/format.h>

#include <set>

#include "base/strings.h"
#include "kinds/checks/addresses.h"
#include "kinds/checks/fields.h"
#include "kinds/core/services/service_facts.h"
#include "kinds/core/services/service_update.h"
#include "kinds/core/services/service_validation.h"
#include "kinds/printing/texts.h"

namespace proa::kinds {

namespace service {

using api::Path;

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Type"},
    {.name = "Cluster-IP"},
    {.name = "External-IP"},
    {.name = "Port(s)"},
    {.name = "Age"},
    {.name = "Selector", .priority = 1},
};

std::vector<std::string_view> texts(View list) {
  std::vector<std::string_view> result;
  for (const View item : list.items()) result.push_back(item.text());
  return result;
}

std::vector<std::string_view> balancer_addresses(View object) {
  std::set<std::string_view> sorted;
  for (const View ingress : object["status"]["loadBalancer"]["ingress"].items()) {
    const std::string_view address = ingress["ip"].text();
    sorted.insert(address.empty() ? ingress["hostname"].text() : address);
  }
  sorted.erase("");
  return {sorted.begin(), sorted.end()};
}

std::string external_addresses(View object) {
  const View spec = object["spec"];
  const std::string_view type = spec["type"].text();
  if (type == "ExternalName") return std::string(spec["externalName"].text());
  std::vector<std::string_view> all;
  if (type == "LoadBalancer") all = balancer_addresses(object);
  const auto external = texts(spec["externalIPs"]);
  all.insert(all.end(), external.begin(), external.end());
  if (!all.empty()) return join(all, ",");
  if (type == "LoadBalancer") return "<pending>";
  return type == "ClusterIP" || type == "NodePort" ? "<none>" : "<unknown>";
}

std::string ports_text(View ports) {
  std::vector<std::string> all;
  for (const View port : ports.items()) {
    const int64_t node_port = port["nodePort"].integer();
    const std::string on_nodes = node_port > 0 ? fmt::format(":{}", node_port) : "";
    all.push_back(
        fmt::format("{}{}/{}", port["port"].integer(), on_nodes, port["protocol"].text()));
  }
  return all.empty() ? "<none>" : join(all, ",");
}

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["type"].text());
  cells.text(spec["clusterIPs"].item(0).text("<none>"));
  cells.text(external_addresses(object));
  cells.text(ports_text(spec["ports"]));
  cells.age(object["metadata"]["creationTimestamp"]);
  cells.text(format_labels(spec["selector"]));
}

void prepare_create(api::Edit object, const Writer&) { complete_service(object, View()); }

void prepare_update(api::Edit object, View old, const Writer&) {
  complete_service(object, old);
  drop_fields_of_old_type(object, old);
}

// Addresses are allocated before the rest is looked at.
void validate_first(View object, api::FieldErrors& errors) {
  validate_cluster_ips(object["spec"], errors);
}

void warn_about_ignored_fields(View spec, Warnings& warnings) {
  const std::string_view type = spec["type"].text();
  if (type == "ClusterIP" && spec["clusterIP"].text() == "None") {
    if (!spec["loadBalancerIP"].text().empty()) {
      warnings.emplace_back("spec.loadBalancerIP is ignored for headless services");
    }
    if (!spec["externalIPs"].empty()) {
      warnings.emplace_back("spec.externalIPs is ignored for headless services");
    }
    if (spec["sessionAffinity"].text() != "None") {
      warnings.emplace_back("spec.SessionAffinity is ignored for headless services");
    }
  } else if (type != "ExternalName" && !spec["externalIPs"].empty()) {
    warnings.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (type == "ExternalName" && !spec["externalIPs"].empty()) {
    warnings.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (type != "ExternalName" && !spec["externalName"].text().empty()) {
    warnings.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec["trafficDistribution"].text() == "PreferClose") {
    warnings.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
}

void warn_about_list(View list, std::string_view name, Warnings& warnings) {
  const Path path(name);
  each(list, path, [&](View address, const Path& item) {
    if (address.text() != "None") warn_about_address(address.text(), item, warnings);
  });
}

void warn(View object, View, Warnings& warnings) {
  const View spec = object["spec"];
  if (object.at("metadata.annotations")["service.kubernetes.io/topology-aware-hints"]) {
    warnings.emplace_back(
        "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use "
        "service.kubernetes.io/topology-mode instead");
  }
  warn_about_list(spec["clusterIPs"], "spec.clusterIPs", warnings);
  warn_about_list(spec["externalIPs"], "spec.externalIPs", warnings);
  warn_about_address(spec["loadBalancerIP"].text(), Path("spec.loadBalancerIP"), warnings);
  const Path ranges("spec.loadBalancerSourceRanges");
  each(spec["loadBalancerSourceRanges"], ranges,
       [&](View range, const Path& item) { warn_about_network(range.text(), item, warnings); });
  warn_about_ignored_fields(spec, warnings);
}

void default_port(api::Edit port) {
  if (port["protocol"].text().empty()) port.set("protocol", "TCP");
  const View target = port["targetPort"];
  const bool names_none = target.is(json::Kind::kString) && target.text().empty();
  if (!target || names_none || (target.is(json::Kind::kInt) && target.integer() == 0)) {
    port.set("targetPort", port["port"].integer());
  }
}

void default_affinity(api::Edit spec) {
  // Three hours.
  constexpr int kTimeoutSeconds = 10800;
  if (spec["sessionAffinity"].text().empty()) spec.set("sessionAffinity", "None");
  if (spec["sessionAffinity"].text() == "None") spec.remove("sessionAffinityConfig");
  if (spec["sessionAffinity"].text() == "ClientIP") {
    spec.object("sessionAffinityConfig")
        .object("clientIP")
        .set_default("timeoutSeconds", kTimeoutSeconds);
  }
}

void default_balancer(api::Edit service) {
  service.existing("spec").set_default("allocateLoadBalancerNodePorts", true);
  if (service["status"]["loadBalancer"]["ingress"].empty()) return;
  const api::Edit ingress = service.existing("status").existing("loadBalancer").existing("ingress");
  for (size_t i = 0; i < ingress.size(); ++i) {
    const api::Edit point = ingress.item(i);
    if (!point["ip"].text().empty()) point.set_default("ipMode", "VIP");
  }
}

void default_service(api::Edit service) {
  const api::Edit spec = service.object("spec");
  service::default_affinity(spec);
  if (spec["type"].text().empty()) spec.set("type", "ClusterIP");
  if (!spec["ports"].empty()) {
    const api::Edit ports = spec.existing("ports");
    for (size_t i = 0; i < ports.size(); ++i) service::default_port(ports.item(i));
  }
  if (is_externally_accessible(spec.view()) && spec["externalTrafficPolicy"].text().empty()) {
    spec.set("externalTrafficPolicy", "Cluster");
  }
  const std::string_view type = spec["type"].text();
  if (type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer") {
    spec.set_default("internalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") service::default_balancer(service);
}

constexpr TypeDefaults kDefaults[] = {{"v1/Service", default_service}};

}  // namespace service

KindRules service_rules() {
  return {.kind = "v1/Service",
          .name = api::check_dns1123_label,
          .metadata = {.update = "UM"},
          .defaults = service::kDefaults,
          .prepare_create = service::prepare_create,
          .prepare_update = service::prepare_update,
          .validate_first = service::validate_first,
          .validate = validate_service,
          .validate_update = validate_service_update,
          .update_comes_first = true,
          .validate_status_update = validate_service_status_update,
          .warn = service::warn,
          .columns = service::kColumns,
          .row = service::row};
}

}  // namespace proa::kinds
