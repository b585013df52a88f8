#include "kinds/core/services/service_update.h"

#include "base/net/ip_address.h"
#include "kinds/checks/fields.h"
#include "kinds/core/services/service_facts.h"

namespace proa::kinds {

namespace service_update {

using api::FieldErrors;
using api::Path;

constexpr std::string_view kFixed = "may not change once set";

bool is_single_stack(View spec) { return spec["ipFamilyPolicy"].text() == "SingleStack"; }

// The secondary address may be added and removed; the primary is immutable.
void validate_cluster_ips(View spec, View old, FieldErrors& errors) {
  if (is_headless(spec) && is_headless(old)) return;
  const Path path("spec.clusterIPs");
  const View list = spec["clusterIPs"];
  const View before = old["clusterIPs"];
  if (list.size() == before.size()) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list.item(i) != before.item(i)) errors.invalid(path.index(i), list, kFixed);
    }
    return;
  }
  if (list.empty()) {
    return errors.invalid(path.index(0), list, "primary clusterIP can not be unset");
  }
  if (!before.empty() && list.item(0) != before.item(0)) {
    errors.invalid(path.index(0), list, kFixed);
  }
  if (list.size() == 1 && before.size() > 1 && !is_single_stack(spec)) {
    errors.invalid(Path("spec.ipFamilyPolicy"), spec["ipFamilyPolicy"],
                   "must be set to 'SingleStack' when releasing the secondary clusterIP");
  }
}

void validate_families(View spec, View old, FieldErrors& errors) {
  // Without cluster IPs, families may change.
  if (is_headless(spec) || is_headless(old)) return;
  const Path path("spec.ipFamilies");
  const View list = spec["ipFamilies"];
  const View before = old["ipFamilies"];
  if (list.size() == before.size()) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list.item(i) != before.item(i)) errors.invalid(path.index(0), list, kFixed);
    }
    return;
  }
  if (list.size() < before.size() && spec["clusterIPs"].empty()) {
    errors.invalid(path.index(0), list, "primary ipFamily can not be unset");
  }
  if (!list.empty() && !before.empty() && list.item(0) != before.item(0)) {
    errors.invalid(path.index(0), spec["clusterIPs"], kFixed);
  }
  if (list.size() == 1 && before.size() > 1 && !is_single_stack(spec)) {
    errors.invalid(Path("spec.ipFamilyPolicy"), spec["ipFamilyPolicy"],
                   "must be set to 'SingleStack' when releasing the secondary ipFamily");
  }
}

void validate_ingress(View ingress, const Path& path, FieldErrors& errors) {
  const std::string_view address = ingress["ip"].text();
  const View mode = ingress["ipMode"];
  const Path mode_path = path.field("ipMode");
  if (!address.empty()) {
    errors.invalid_each(path.field("ip"), address, api::check_ip(address));
    if (!mode) errors.required(mode_path, "must be specified when `ip` is set");
    check_one_of(mode, {"Proxy", "VIP"}, mode_path, errors);
  } else if (mode) {
    errors.forbidden(mode_path, "may not be specified when `ip` is not set");
  }
  const std::string_view host = ingress["hostname"].text();
  if (host.empty()) return;
  const Path host_path = path.field("hostname");
  errors.invalid_each(host_path, host, api::check_dns1123_subdomain(host));
  if (parse_ip(host)) {
    errors.invalid(host_path, host, "must be a DNS name, not an IP address");
  }
}

}  // namespace service_update

void validate_service_update(View object, View old, api::FieldErrors& errors) {
  const View spec = object["spec"];
  const View before = old["spec"];
  if (needs_cluster_ip(spec) && needs_cluster_ip(before)) {
    service_update::validate_cluster_ips(spec, before, errors);
    service_update::validate_families(spec, before, errors);
  }
  const bool stays_balanced =
      spec["type"].text() == "LoadBalancer" && before["type"].text() == "LoadBalancer";
  if (stays_balanced && spec["loadBalancerClass"] != before["loadBalancerClass"]) {
    errors.invalid(api::Path("spec.loadBalancerClass"), spec["loadBalancerClass"],
                   service_update::kFixed);
  }
  if (needs_health_check_node_port(spec) && needs_health_check_node_port(before) &&
      spec["healthCheckNodePort"] != before["healthCheckNodePort"]) {
    errors.forbidden(api::Path("spec.healthCheckNodePort"), "field is immutable");
  }
}

void validate_service_status_update(View object, View, api::FieldErrors& errors) {
  const View ingress = object["status"]["loadBalancer"]["ingress"];
  const api::Path path("status.loadBalancer.ingress");
  if (object["spec"]["type"].text() != "LoadBalancer" && !ingress.empty()) {
    return errors.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  each(ingress, path, [&](View point, const api::Path& item) {
    service_update::validate_ingress(point, item, errors);
  });
}

}  // namespace proa::kinds
