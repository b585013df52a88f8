#include "kinds/core/pods/spec/network.h"

#include <fmt/format.h>

namespace proa::kinds::pods {

namespace network {

// Limits of the C library's resolver.
constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchCharacters = 2048;
constexpr size_t kMaxHostname = 64;

void check_searches(View searches, const Path& path, FieldErrors& errors) {
  if (searches.size() > kMaxSearches) {
    errors.invalid(path, searches,
                   fmt::format("must not have more than {} search paths", kMaxSearches));
  }
  size_t length = searches.empty() ? 0 : searches.size() - 1;  // the spaces between them
  each(searches, path, [&](View search, const Path& at) {
    std::string_view name = search.text();
    length += name.size();
    if (name == ".") return;
    if (name.ends_with('.')) name.remove_suffix(1);
    for (const std::string& problem : api::check_dns1123_subdomain_with_underscore(name))
      errors.invalid(at, name, problem);
  });
  if (length > kMaxSearchCharacters) {
    errors.invalid(
        path, searches,
        fmt::format("must not have more than {} characters (including spaces) in the search list",
                    kMaxSearchCharacters));
  }
}

void check_dns_config(View spec, const Path& path, FieldErrors& errors) {
  const View config = spec["dnsConfig"];
  const View nameservers = config["nameservers"];
  const Path servers_path = path.field("nameservers");
  if (spec["dnsPolicy"].text() == "None") {
    if (!config.exists())
      return errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (nameservers.empty()) {
      return errors.required(servers_path,
                             "must provide at least one DNS nameserver when `dnsPolicy` is None");
    }
  }
  if (nameservers.size() > kMaxNameservers) {
    errors.invalid(servers_path, nameservers,
                   fmt::format("must not have more than {} nameservers", kMaxNameservers));
  }
  each(nameservers, servers_path,
       [&](View server, const Path& at) { check_text(server, api::check_ip, at, errors); });
  check_searches(config["searches"], path.field("searches"), errors);
  each(config["options"], path.field("options"), [&](View option, const Path& at) {
    if (option["name"].text().empty()) errors.required(at, "must not be empty");
  });
}

// With hostNetwork, host ports equal container ports; templates may omit them.
void check_host_network(const PodContext& pod, const Path& path, FieldErrors& errors) {
  if (!pod.spec["hostNetwork"].flag()) return;
  each(pod.spec["containers"], path.field("containers"), [&](View container, const Path& at) {
    each(container["ports"], at.field("ports"), [&](View port, const Path& item) {
      const int64_t host_port = port["hostPort"].integer();
      if (host_port == port["containerPort"].integer()) return;
      if (host_port == 0 && !pod.is_pod()) return;
      errors.invalid(item.field("hostPort"), host_port,
                     "must match `containerPort` when `hostNetwork` is true");
    });
  });
}

void check_hostname_override(View spec, const Path& path, FieldErrors& errors) {
  const View name = spec["hostnameOverride"];
  if (!name.exists()) return;
  if (spec["setHostnameAsFQDN"].flag())
    errors.forbidden(path, "may not be specified when setHostnameAsFQDN is true");
  if (spec["hostNetwork"].flag())
    errors.forbidden(path, "may not be specified when hostNetwork is true");
  if (name.text().size() > kMaxHostname) errors.too_long(path, kMaxHostname);
  check_text(name, api::check_dns1123_subdomain, path, errors);
}

}  // namespace network

void validate_network(const PodContext& pod, const Path& path, FieldErrors& errors) {
  const View spec = pod.spec;
  network::check_host_network(pod, path, errors);
  require_one_of(spec["dnsPolicy"], {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                 path.field("dnsPolicy"), errors);
  network::check_dns_config(spec, path.field("dnsConfig"), errors);
  network::check_hostname_override(spec, path.field("hostnameOverride"), errors);
  for (const std::string_view name : {"hostname", "subdomain"}) {
    if (!spec[name].text().empty())
      check_text(spec[name], api::check_dns1123_label, path.field(name), errors);
  }
  each(spec["hostAliases"], path.field("hostAliases"), [&](View alias, const Path& at) {
    check_text(alias["ip"], api::check_ip, at.field("ip"), errors);
    each(alias["hostnames"], at.field("hostnames"), [&](View name, const Path& item) {
      check_text(name, api::check_dns1123_subdomain, item, errors);
    });
  });
}

}  // namespace proa::kinds::pods
