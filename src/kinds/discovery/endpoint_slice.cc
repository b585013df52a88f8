#include "kinds/discovery/endpoint_slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/validation/metadata.h"
#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kinds/checks/addresses.h"

namespace proa::kinds {

namespace endpoint_slice {

constexpr size_t kMaxEndpoints = 1000;
constexpr size_t kMaxAddresses = 100;
constexpr size_t kMaxPorts = 20'000;
constexpr size_t kMaxHints = 8;
constexpr std::string_view kHostLabel = "kubernetes.io/hostname";

// What v1beta1 said about where an endpoint is. v1 has fields for that; nothing new is stored
// there.
void drop_topology(api::Edit object, View old) {
  if (object["endpoints"].empty() || object["endpoints"] == old["endpoints"]) return;
  std::set<std::string> old_nodes;
  for (const View endpoint : old["endpoints"].items()) {
    const std::string_view node = endpoint["deprecatedTopology"][kHostLabel].text();
    if (!node.empty()) old_nodes.emplace(node);
  }
  const api::Edit endpoints = object.existing("endpoints");
  for (size_t i = 0; i < endpoints.size(); ++i) {
    const api::Edit endpoint = endpoints.item(i);
    const std::string node(endpoint["deprecatedTopology"][kHostLabel].text());
    if (!endpoint.has("nodeName") && old_nodes.contains(node) &&
        api::check_dns1123_subdomain(node).empty()) {
      endpoint.set("nodeName", node);
    }
    endpoint.remove("deprecatedTopology");
  }
}

void prepare_create(api::Edit object, const Writer& /*writer*/) { drop_topology(object, View()); }

void prepare_update(api::Edit object, View old, const Writer& /*writer*/) {
  drop_topology(object, old);
}

void validate_address(std::string_view address, std::string_view type, const api::Path& list_path,
                      const api::Path& path, api::FieldErrors& errors) {
  if (type == "FQDN") {
    errors.invalid_each(path, address, api::check_fully_qualified_domain(address));
    return;
  }
  if (type != "IPv4" && type != "IPv6") return;
  const api::Problems problems =
      type == "IPv4" ? api::check_ip(address) : api::check_canonical_ip(address);
  errors.invalid_each(path, address, problems);
  const auto parsed = parse_ip(address);
  if (!problems.empty() || !parsed) return;
  if (parsed->is_v4() != (type == "IPv4"))
    errors.invalid(list_path, address, fmt::format("must be an {} address", type));
  validate_endpoint_address(address, path, errors);
}

void validate_hints(View hints, std::string_view name, api::NameCheck check, const api::Path& path,
                    api::FieldErrors& errors) {
  const View list = hints[name];
  const api::Path list_path = path.field(name);
  if (list.size() > kMaxHints) {
    errors.too_many(list_path, list.size(), kMaxHints);
    return;
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i < list.size(); ++i) {
    const api::Path item_path = list_path.index(i);
    const std::string_view text = list.item(i)["name"].text();
    if (!seen.insert(text).second) errors.duplicate(item_path.field("name"), text);
    errors.invalid_each(item_path.field("name"), text, check(text));
  }
}

void validate_endpoint(View endpoint, std::string_view type, const api::Path& path,
                       api::FieldErrors& errors) {
  const View addresses = endpoint["addresses"];
  const api::Path addresses_path = path.field("addresses");
  if (addresses.empty()) {
    errors.required(addresses_path, "must contain at least 1 address");
  } else if (addresses.size() > kMaxAddresses) {
    errors.too_many(addresses_path, addresses.size(), kMaxAddresses);
  }
  for (size_t i = 0; i < addresses.size(); ++i) {
    validate_address(addresses.item(i).text(), type, addresses_path, addresses_path.index(i),
                     errors);
  }
  const View node = endpoint["nodeName"];
  if (node.exists()) {
    errors.invalid_each(path.field("nodeName"), node.text(),
                        api::check_dns1123_subdomain(node.text()));
  }
  api::validate_labels(endpoint["deprecatedTopology"], path.field("deprecatedTopology"), errors);
  const View host = endpoint["hostname"];
  if (host.exists()) {
    errors.invalid_each(path.field("hostname"), host.text(), api::check_dns1123_label(host.text()));
  }
  const api::Path hints_path = path.field("hints");
  validate_hints(endpoint["hints"], "forZones", api::check_label_value, hints_path, errors);
  validate_hints(endpoint["hints"], "forNodes", api::check_dns1123_subdomain, hints_path, errors);
}

void validate_ports(View ports, const api::Path& path, api::FieldErrors& errors) {
  constexpr std::string_view kProtocols[] = {"SCTP", "TCP", "UDP"};
  if (ports.size() > kMaxPorts) {
    errors.too_many(path, ports.size(), kMaxPorts);
    return;
  }
  std::set<std::string_view> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const View port = ports.item(i);
    const api::Path port_path = path.index(i);
    const std::string_view name = port["name"].text();
    if (!name.empty())
      errors.invalid_each(port_path.field("name"), name, api::check_dns1123_label(name));
    if (!names.insert(name).second) errors.duplicate(port_path.field("name"), name);
    if (!port["protocol"].exists()) errors.required(port_path.field("protocol"));
    api::validate_enum(port["protocol"], kProtocols, port_path.field("protocol"), errors);
    const View application = port["appProtocol"];
    if (application.exists()) {
      errors.invalid_each(port_path.field("appProtocol"), application.text(),
                          api::check_qualified_name(application.text()));
    }
  }
}

void validate(View object, api::FieldErrors& errors) {
  const std::string_view type = object["addressType"].text();
  const api::Path type_path("addressType");
  if (type.empty()) {
    errors.required(type_path);
  } else if (type != "IPv4" && type != "IPv6" && type != "FQDN") {
    errors.not_supported(type_path, type, {"FQDN", "IPv4", "IPv6"});
  }
  validate_ports(object["ports"], api::Path("ports"), errors);
  const View endpoints = object["endpoints"];
  const api::Path path("endpoints");
  if (endpoints.size() > kMaxEndpoints) {
    errors.too_many(path, endpoints.size(), kMaxEndpoints);
    return;
  }
  for (size_t i = 0; i < endpoints.size(); ++i)
    validate_endpoint(endpoints.item(i), type, path.index(i), errors);
}

void validate_update(View object, View old, api::FieldErrors& errors) {
  api::validate_immutable(object["addressType"], old["addressType"], api::Path("addressType"),
                          errors);
}

void warn(View object, View old, Warnings& warnings) {
  if (!old.exists() && object["addressType"].text() == "FQDN")
    warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
  // No warnings for slices that controllers manage.
  const std::string_view manager =
      object["metadata"]["labels"]["endpointslice.kubernetes.io/managed-by"].text();
  if (manager == "endpointslice-controller.k8s.io" ||
      manager == "endpointslicemirroring-controller.k8s.io") {
    return;
  }
  const api::Path path("endpoints");
  for (size_t i = 0; i < object["endpoints"].size(); ++i) {
    const View addresses = object["endpoints"].item(i)["addresses"];
    const api::Path endpoint_path = path.index(i);
    const api::Path addresses_path = endpoint_path.field("addresses");
    for (size_t j = 0; j < addresses.size(); ++j)
      warn_about_address(addresses.item(j).text(), addresses_path.index(j), warnings);
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "AddressType", .description = "What kind of addresses these are."},
    {.name = "Ports", .description = "Ports that they are reached at."},
    {.name = "Endpoints", .description = "The addresses."},
    {.name = "Age"},
};

std::string first_few(const std::vector<std::string>& all) {
  constexpr size_t kMaxShown = 3;
  const std::string text = join(std::span(all).first(std::min(all.size(), kMaxShown)), ",");
  if (all.size() <= kMaxShown) return text.empty() ? "<unset>" : text;
  return fmt::format("{} + {} more...", text, all.size() - kMaxShown);
}

std::string ports_text(View ports) {
  std::vector<std::string> all;
  for (const View port : ports.items()) {
    const View number = port["port"];
    all.push_back(number.exists() ? std::to_string(number.integer())
                                  : std::string(port["name"].text("*")));
  }
  return first_few(all);
}

std::string endpoints_text(View endpoints) {
  std::vector<std::string> all;
  for (const View endpoint : endpoints.items()) {
    for (const View address : endpoint["addresses"].items()) all.emplace_back(address.text());
  }
  return first_few(all);
}

void row(View object, Cells& cells) {
  cells.text(object["metadata"]["name"].text());
  cells.text(object["addressType"].text());
  cells.text(ports_text(object["ports"]));
  cells.text(endpoints_text(object["endpoints"]));
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace endpoint_slice

KindRules endpoint_slice_rules() {
  return {
      .kind = "discovery.k8s.io/v1/EndpointSlice",
      .metadata = {.update = "M"},
      .prepare_create = endpoint_slice::prepare_create,
      .prepare_update = endpoint_slice::prepare_update,
      .validate = endpoint_slice::validate,
      .validate_update = endpoint_slice::validate_update,
      .warn = endpoint_slice::warn,
      .columns = endpoint_slice::kColumns,
      .row = endpoint_slice::row,
  };
}

}  // namespace proa::kinds
