#include "kinds/core/services/service_validation.h"

#include <fmt/format.h>

#include <set>

#include "api/validation/metadata.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kinds/checks/addresses.h"
#include "kinds/checks/fields.h"
#include "kinds/core/services/service_facts.h"

namespace proa::kinds {

namespace service_validation {

using api::FieldErrors;
using api::Path;

constexpr std::string_view kForBalancersOnly = "may only be used when `type` is 'LoadBalancer'";
constexpr std::string_view kSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";

void validate_annotations(View annotations, FieldErrors& errors) {
  constexpr std::string_view kMode = "service.kubernetes.io/topology-mode";
  constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
  const View mode = annotations[kMode];
  if (!mode || !annotations[kHints] || mode == annotations[kHints]) return;
  const Path path("metadata.annotations");
  errors.invalid(path.key(kMode), mode.text(),
                 fmt::format("must match annotations[{}] when both are specified", kHints));
}

void validate_external_name(View spec, const Path& path, FieldErrors& errors) {
  constexpr std::string_view kNotHere = "may not be set for ExternalName services";
  if (!spec["clusterIPs"].empty()) errors.forbidden(path.field("clusterIPs"), kNotHere);
  if (!spec["ipFamilies"].empty()) errors.forbidden(path.field("ipFamilies"), kNotHere);
  if (spec["ipFamilyPolicy"]) errors.forbidden(path.field("ipFamilyPolicy"), kNotHere);
  // A trailing dot makes the name fully qualified.
  std::string_view name = spec["externalName"].text();
  if (name.ends_with('.')) name.remove_suffix(1);
  const Path name_path = path.field("externalName");
  if (name.empty()) return errors.required(name_path);
  errors.invalid_each(name_path, name, api::check_dns1123_subdomain(name));
}

void validate_type(View spec, const Path& path, FieldErrors& errors) {
  const std::string_view type = spec["type"].text();
  const bool headless = is_headless(spec);
  if (spec["ports"].empty() && !headless && type != "ExternalName") {
    errors.required(path.field("ports"));
  }
  if (headless && needs_node_port(spec)) {
    const Path list = path.field("clusterIPs");
    errors.invalid(list.index(0), "None",
                   fmt::format("may not be set to 'None' for {} services", type));
  }
  if (type == "ExternalName") validate_external_name(spec, path, errors);
}

void validate_port(View port, bool name_required, std::set<std::string_view>& names,
                   const Path& path, FieldErrors& errors) {
  const std::string_view name = port["name"].text();
  const Path name_path = path.field("name");
  if (name.empty()) {
    if (name_required) errors.required(name_path);
  } else {
    errors.invalid_each(name_path, name, api::check_dns1123_label(name));
    if (!names.insert(name).second) errors.duplicate(name_path, name);
  }
  const int64_t number = port["port"].integer();
  for (const std::string& problem : api::check_port_number(number)) {
    errors.invalid(path.field("port"), number, problem);
  }
  require_one_of(port["protocol"], {"SCTP", "TCP", "UDP"}, path.field("protocol"), errors);
  check_port(port["targetPort"], path.field("targetPort"), errors);
  if (port["appProtocol"]) {
    check_text(port["appProtocol"], api::check_qualified_name, path.field("appProtocol"), errors);
  }
}

// Pairs of protocol and number must be unique.
void validate_unique_ports(View ports, const Path& path, FieldErrors& errors) {
  std::set<std::pair<std::string_view, int64_t>> node_ports;
  std::set<std::pair<std::string_view, int64_t>> numbers;
  each(ports, path, [&](View port, const Path& item) {
    const std::string_view protocol = port["protocol"].text();
    const int64_t node_port = port["nodePort"].integer();
    if (node_port != 0 && !node_ports.emplace(protocol, node_port).second) {
      errors.duplicate(item.field("nodePort"), port["nodePort"]);
    }
    if (!numbers.emplace(protocol, port["port"].integer()).second) errors.duplicate(item, port);
  });
}

void validate_ports(View spec, const Path& path, FieldErrors& errors) {
  const View ports = spec["ports"];
  std::set<std::string_view> names;
  each(ports, path, [&](View port, const Path& item) {
    validate_port(port, ports.size() > 1, names, item, errors);
    if (spec["type"].text() == "ClusterIP" && port["nodePort"].integer() != 0) {
      errors.forbidden(item.field("nodePort"), "may not be used when `type` is 'ClusterIP'");
    }
  });
  validate_unique_ports(ports, path, errors);
}

void validate_affinity(View spec, const Path& path, FieldErrors& errors) {
  constexpr int64_t kMaxSeconds = 86400;
  require_one_of(spec["sessionAffinity"], {"ClientIP", "None"}, path.field("sessionAffinity"),
                 errors);
  const std::string_view affinity = spec["sessionAffinity"].text();
  const View config = spec["sessionAffinityConfig"];
  const Path config_path = path.field("sessionAffinityConfig");
  if (affinity == "None" && config) {
    errors.forbidden(config_path, "must not be set when session affinity is None");
  }
  if (affinity != "ClientIP") return;
  constexpr std::string_view kWhen = "when session affinity type is ClientIP";
  const Path client_path = config_path.field("clientIP");
  const Path timeout_path = client_path.field("timeoutSeconds");
  const View timeout = config["clientIP"]["timeoutSeconds"];
  if (!config) return errors.required(config_path, kWhen);
  if (!config["clientIP"]) return errors.required(client_path, kWhen);
  if (!timeout) return errors.required(timeout_path, kWhen);
  if (timeout.integer() <= 0 || timeout.integer() > kMaxSeconds) {
    errors.invalid(timeout_path, timeout,
                   fmt::format("must be greater than 0 and less than {}", kMaxSeconds));
  }
}

void validate_external_addresses(View addresses, const Path& path, FieldErrors& errors) {
  each(addresses, path, [&](View address, const Path& item) {
    const auto problems = api::check_ip(address.text());
    if (!problems.empty()) return errors.invalid_each(item, address.text(), problems);
    validate_endpoint_address(address.text(), item, errors);
  });
}

void validate_source_ranges(View object, const Path& spec_path, FieldErrors& errors) {
  const View spec = object["spec"];
  const bool is_balanced = spec["type"].text() == "LoadBalancer";
  const View annotation = object.at("metadata.annotations")[kSourceRanges];
  const auto check = [&](std::string_view range, const Path& path) {
    errors.invalid_each(path, trim(range), api::check_cidr(trim(range)));
  };
  if (!spec["loadBalancerSourceRanges"].empty()) {
    // Upstream's spelling.
    const Path path = spec_path.field("LoadBalancerSourceRanges");
    if (!is_balanced) errors.forbidden(path, kForBalancersOnly);
    each(spec["loadBalancerSourceRanges"], path,
         [&](View range, const Path& item) { check(range.text(), item); });
  } else if (annotation) {
    const Path annotations("metadata.annotations");
    const Path path = annotations.key(kSourceRanges);
    if (!is_balanced) errors.forbidden(path, kForBalancersOnly);
    if (trim(annotation.text()).empty()) return;
    for (const std::string_view range : split(annotation.text(), ',')) check(range, path);
  }
}

void validate_balancer(View spec, const Path& path, FieldErrors& errors) {
  const bool is_balanced = spec["type"].text() == "LoadBalancer";
  const View allocate = spec["allocateLoadBalancerNodePorts"];
  if (allocate && !is_balanced) {
    errors.forbidden(path.field("allocateLoadBalancerNodePorts"), kForBalancersOnly);
  }
  if (!allocate && is_balanced) errors.required(Path("allocateLoadBalancerNodePorts"));
  validate_load_balancer_class(spec, errors);
}

void validate_external_policy(View spec, const Path& path, FieldErrors& errors) {
  const View policy = spec["externalTrafficPolicy"];
  const Path policy_path = path.field("externalTrafficPolicy");
  if (is_externally_accessible(spec)) {
    require_one_of(policy, {"Cluster", "Local"}, policy_path, errors);
  } else if (!policy.text().empty()) {
    errors.invalid(policy_path, policy, "may only be set for externally-accessible services");
  }
  const int64_t port = spec["healthCheckNodePort"].integer();
  const Path port_path = path.field("healthCheckNodePort");
  if (!needs_health_check_node_port(spec)) {
    if (port == 0) return;
    return errors.invalid(
        port_path, port,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  }
  // If none is requested, one is allocated on write.
  if (port == 0) return;
  for (const std::string& problem : api::check_port_number(port)) {
    errors.invalid(port_path, port, problem);
  }
}

void validate_policies(View spec, const Path& path, FieldErrors& errors) {
  validate_external_policy(spec, path, errors);
  const View internal = spec["internalTrafficPolicy"];
  const Path internal_path = path.field("internalTrafficPolicy");
  const std::string_view type = spec["type"].text();
  if (!internal && (type == "NodePort" || type == "LoadBalancer" || type == "ClusterIP")) {
    errors.required(internal_path);
  }
  check_one_of(internal, {"Cluster", "Local"}, internal_path, errors);
  check_one_of(spec["trafficDistribution"], {"PreferClose", "PreferSameZone", "PreferSameNode"},
               path.field("trafficDistribution"), errors);
}

void validate_families(View spec, const Path& path, FieldErrors& errors) {
  std::set<std::string_view> seen;
  const Path families = path.field("ipFamilies");
  each(spec["ipFamilies"], families, [&](View family, const Path& item) {
    check_one_of(family, {"IPv4", "IPv6"}, item, errors);
    if (!seen.insert(family.text()).second) errors.duplicate(item, family);
  });
  check_one_of(spec["ipFamilyPolicy"], {"PreferDualStack", "RequireDualStack", "SingleStack"},
               path.field("ipFamilyPolicy"), errors);
}

// Whether all are IP addresses.
bool validate_addresses(View addresses, const Path& path, FieldErrors& errors) {
  const size_t before = errors.size();
  each(addresses, path, [&](View address, const Path& item) {
    if (address == addresses.item(0) && address.text() == "None") {
      if (addresses.size() > 1) {
        errors.invalid(path, addresses, "'None' must be the first and only value");
      }
      return;
    }
    errors.invalid_each(item, address.text(), api::check_ip(address.text()));
  });
  const bool all_well = errors.size() == before;
  if (addresses.size() > 2) {
    errors.invalid(path, addresses, "may only hold up to 2 values");
  }
  return all_well;
}

void validate_address_families(View spec, const Path& path, FieldErrors& errors) {
  const View addresses = spec["clusterIPs"];
  if (addresses.size() > 1 && !is_dual_stack(addresses.item(0).text(), addresses.item(1).text())) {
    errors.invalid(path, addresses, "may specify no more than one IP for each IP family");
  }
  if (is_headless(spec)) return;
  for (size_t i = 0; i < addresses.size() && i < spec["ipFamilies"].size(); ++i) {
    const std::string_view family = spec["ipFamilies"].item(i).text();
    const auto address = parse_ip(addresses.item(i).text());
    if (!address || (family != "IPv4" && family != "IPv6")) continue;
    if (address->is_v4() == (family == "IPv4")) continue;
    errors.invalid(path.index(i), addresses.item(i),
                   fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", family, i));
  }
}

}  // namespace service_validation

void validate_cluster_ips(View spec, api::FieldErrors& errors) {
  // For ExternalName, all must be unset, which is already checked.
  if (!needs_cluster_ip(spec)) return;
  const api::Path path("spec");
  const api::Path list_path = path.field("clusterIPs");
  const View list = spec["clusterIPs"];
  const std::string_view single = spec["clusterIP"].text();
  if (single.empty() && !list.empty()) {
    errors.invalid(list_path, list, "must be empty when `clusterIP` is not specified");
  } else if (!single.empty() && list.empty()) {
    errors.required(list_path);
  } else if (!single.empty() && list.item(0).text() != single) {
    errors.invalid(list_path, list, "first value must match `clusterIP`");
  }
  service_validation::validate_families(spec, path, errors);
  if (!service_validation::validate_addresses(list, list_path, errors)) return;
  service_validation::validate_address_families(spec, list_path, errors);
}

void validate_load_balancer_class(View spec, api::FieldErrors& errors) {
  const View name = spec["loadBalancerClass"];
  const api::Path path("spec.loadBalancerClass");
  if (!name) return;
  if (spec["type"].text() != "LoadBalancer") {
    return errors.forbidden(path, service_validation::kForBalancersOnly);
  }
  check_text(name, api::check_qualified_name, path, errors);
}

void validate_service(View object, api::FieldErrors& errors) {
  const View spec = object["spec"];
  const api::Path path("spec");
  service_validation::validate_annotations(object.at("metadata.annotations"), errors);
  service_validation::validate_type(spec, path, errors);
  service_validation::validate_ports(spec, path.field("ports"), errors);
  api::validate_labels(spec["selector"], path.field("selector"), errors);
  service_validation::validate_affinity(spec, path, errors);
  validate_cluster_ips(spec, errors);
  service_validation::validate_external_addresses(spec["externalIPs"], path.field("externalIPs"),
                                                  errors);
  require_one_of(spec["type"], {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"},
                 path.field("type"), errors);
  service_validation::validate_source_ranges(object, path, errors);
  service_validation::validate_balancer(spec, path, errors);
  service_validation::validate_policies(spec, path, errors);
}

}  // namespace proa::kinds
