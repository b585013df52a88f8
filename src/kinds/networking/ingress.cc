#include "kinds/networking/ingress.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "base/net/ip_address.h"
#include "base/strings.h"
#include "kinds/networking/references.h"

namespace proa::kinds {

namespace ingress {

constexpr std::string_view kClassAnnotation = "kubernetes.io/ingress.class";

void validate_host(std::string_view host, const api::Path& path, api::FieldErrors& errors) {
  const bool wildcard = host.find('*') != std::string_view::npos;
  errors.invalid_each(
      path, host,
      wildcard ? api::check_wildcard_dns1123_subdomain(host) : api::check_dns1123_subdomain(host));
}

void validate_service_port(View port, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view name = port["name"].text();
  const int64_t number = port["number"].integer();
  if (!name.empty() && number != 0) {
    errors.invalid(path, "", "cannot set both port name & port number");
  } else if (!name.empty()) {
    errors.invalid_each(path.field("service.port.name"), name, api::check_port_name(name));
  } else if (number != 0) {
    for (const std::string& problem : api::check_port_number(number))
      errors.invalid(path.field("service.port.number"), number, problem);
  } else {
    errors.required(path, "port name or number is required");
  }
}

void validate_backend(View backend, const api::Path& path, api::FieldErrors& errors) {
  const View resource = backend["resource"];
  const View service = backend["service"];
  if (resource.exists() && service.exists()) {
    errors.invalid(path, "", "cannot set both resource and service backends");
  } else if (resource.exists()) {
    validate_typed_reference(resource, path.field("resource"), errors);
  } else if (service.exists()) {
    const std::string_view name = service["name"].text();
    if (name.empty()) {
      errors.required(path.field("service.name"));
    } else {
      errors.invalid_each(path.field("service.name"), name, api::check_dns1123_label(name));
    }
    validate_service_port(service["port"], path, errors);
  } else {
    errors.invalid(path, "", "resource or service backend is required");
  }
}

constexpr std::string_view kForbiddenParts[] = {"//", "/./", "/../", "%2f", "%2F"};
constexpr std::string_view kForbiddenEnds[] = {"/..", "/."};

// Paths of type Exact and Prefix must be normalized, because they are compared literally.
void validate_plain_path(View path_text, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view text = path_text.text();
  for (const std::string_view part : kForbiddenParts) {
    if (text.find(part) != std::string_view::npos)
      errors.invalid(path, text, fmt::format("must not contain '{}'", part));
  }
  for (const std::string_view end : kForbiddenEnds) {
    if (text.ends_with(end)) errors.invalid(path, text, fmt::format("cannot end with '{}'", end));
  }
}

void validate_path(View rule, const api::Path& path, api::FieldErrors& errors) {
  const View type = rule["pathType"];
  const std::string_view text = rule["path"].text();
  if (!type.exists()) {
    errors.required(path.field("pathType"), "pathType must be specified");
    return;
  }
  const bool plain = type.text() == "Exact" || type.text() == "Prefix";
  if (!plain && type.text() != "ImplementationSpecific") {
    errors.not_supported(path.field("pathType"), type.text(),
                         {"Exact", "ImplementationSpecific", "Prefix"});
  } else {
    if (!text.starts_with('/') && (plain || !text.empty()))
      errors.invalid(path.field("path"), text, "must be an absolute path");
    if (plain) validate_plain_path(rule["path"], path.field("path"), errors);
  }
  validate_backend(rule["backend"], path.field("backend"), errors);
}

void validate_rule(View rule, const api::Path& path, api::FieldErrors& errors) {
  const std::string_view host = rule["host"].text();
  if (!host.empty()) {
    if (parse_ip(host)) {
      errors.invalid(path.field("host"), host, "must be a DNS name, not an IP address");
    }
    validate_host(host, path.field("host"), errors);
  }
  if (!rule["http"].exists()) return;
  const api::Path paths_path = path.field("http.paths");
  const View paths = rule["http"]["paths"];
  if (paths.empty()) errors.required(paths_path);
  for (size_t i = 0; i < paths.size(); ++i)
    validate_path(paths.item(i), paths_path.index(i), errors);
}

void validate_tls(View tls, const api::Path& path, api::FieldErrors& errors) {
  const api::Path hosts_path = path.field("hosts");
  const View hosts = tls["hosts"];
  for (size_t i = 0; i < hosts.size(); ++i)
    validate_host(hosts.item(i).text(), hosts_path.index(i), errors);
  const std::string_view secret = tls["secretName"].text();
  if (!secret.empty())
    errors.invalid_each(path.field("secretName"), secret, api::check_dns1123_subdomain(secret));
}

void validate(View object, api::FieldErrors& errors) {
  const api::Path path("spec");
  const View spec = object["spec"];
  const View backend = spec["defaultBackend"];
  const View rules = spec["rules"];
  if (rules.empty() && !backend.exists())
    errors.invalid(path, rules, "either `defaultBackend` or `rules` must be specified");
  if (backend.exists()) validate_backend(backend, path.field("defaultBackend"), errors);
  const api::Path rules_path = path.field("rules");
  for (size_t i = 0; i < rules.size(); ++i)
    validate_rule(rules.item(i), rules_path.index(i), errors);
  const api::Path tls_path = path.field("tls");
  for (size_t i = 0; i < spec["tls"].size(); ++i)
    validate_tls(spec["tls"].item(i), tls_path.index(i), errors);
  const View class_name = spec["ingressClassName"];
  if (class_name.exists()) {
    errors.invalid_each(path.field("ingressClassName"), class_name.text(),
                        api::check_dns1123_subdomain(class_name.text()));
  }
}

void validate_create(View object, api::FieldErrors& errors) {
  const View annotation = object["metadata"]["annotations"][kClassAnnotation];
  const View class_name = object["spec"]["ingressClassName"];
  if (!annotation.exists() || !class_name.exists() || annotation == class_name) return;
  const api::Path annotations("annotations");
  errors.invalid(annotations.field(kClassAnnotation), annotation,
                 "must match `ingressClassName` when both are specified");
}

void validate_status_update(View object, View old, api::FieldErrors& errors) {
  const api::Path path("status.loadBalancer.ingress");
  const View list = object["status"]["loadBalancer"]["ingress"];
  std::set<std::string_view> before;
  for (const View item : old["status"]["loadBalancer"]["ingress"].items())
    before.insert(item["ip"].text());
  for (size_t i = 0; i < list.size(); ++i) {
    const api::Path item_path = path.index(i);
    const View address = list.item(i)["ip"];
    if (!address.text().empty() && !before.contains(address.text()))
      errors.invalid_each(item_path.field("ip"), address.text(), api::check_ip(address.text()));
    const std::string_view host = list.item(i)["hostname"].text();
    if (host.empty()) continue;
    errors.invalid_each(item_path.field("hostname"), host, api::check_dns1123_subdomain(host));
    if (parse_ip(host)) {
      errors.invalid(item_path.field("hostname"), host, "must be a DNS name, not an IP address");
    }
  }
}

void warn(View object, View old, Warnings& warnings) {
  if (old.exists()) return;
  if (object["metadata"]["annotations"][kClassAnnotation].exists() &&
      !object["spec"]["ingressClassName"].exists()) {
    warnings.emplace_back(
        "annotation \"kubernetes.io/ingress.class\" is deprecated, please use "
        "'spec.ingressClassName' instead");
  }
}

constexpr Column kColumns[] = {
    {.name = "Name", .format = "name"},
    {.name = "Class", .description = "Whose controller answers for it."},
    {.name = "Hosts", .description = "Host names that it is for."},
    {.name = "Address", .description = "Where it is reached from outside."},
    {.name = "Ports", .description = "Ports that it listens on."},
    {.name = "Age"},
};

std::string hosts_text(View rules) {
  constexpr size_t kMaxShown = 3;
  std::vector<std::string_view> hosts;
  bool more = false;
  for (const View rule : rules.items()) {
    if (hosts.size() == kMaxShown) {
      more = true;
    } else if (!rule["host"].text().empty()) {
      hosts.push_back(rule["host"].text());
    }
  }
  if (hosts.empty()) return "*";
  const std::string text = join(hosts, ",");
  return more ? fmt::format("{} + {} more...", text, rules.size() - kMaxShown) : text;
}

std::string addresses_text(View list) {
  std::set<std::string_view> addresses;
  for (const View item : list.items()) {
    const std::string_view address = item["ip"].text();
    const std::string_view shown = address.empty() ? item["hostname"].text() : address;
    if (!shown.empty()) addresses.insert(shown);
  }
  return join(std::vector(addresses.begin(), addresses.end()), ",");
}

void row(View object, Cells& cells) {
  const View spec = object["spec"];
  cells.text(object["metadata"]["name"].text());
  cells.text(spec["ingressClassName"].text("<none>"));
  cells.text(hosts_text(spec["rules"]));
  cells.text(addresses_text(object["status"]["loadBalancer"]["ingress"]));
  cells.text(spec["tls"].empty() ? "80" : "80, 443");
  cells.age(object["metadata"]["creationTimestamp"]);
}

}  // namespace ingress

KindRules ingress_rules() {
  return {
      .kind = "networking.k8s.io/v1/Ingress",
      .metadata = {.update = "UM"},
      .validate = ingress::validate,
      .validate_create = ingress::validate_create,
      .validate_status_update = ingress::validate_status_update,
      .warn = ingress::warn,
      .columns = ingress::kColumns,
      .row = ingress::row,
  };
}

}  // namespace proa::kinds
