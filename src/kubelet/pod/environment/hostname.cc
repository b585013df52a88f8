#include "kubelet/pod/environment/hostname.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"
#include "api/validation/names.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace hostname {

// The kernel allows 64 characters. Short names are cut to 63, as upstream does.
constexpr size_t kMaxShort = 63;
constexpr size_t kMaxFull = 64;

Result<void> check(std::string_view what, std::string_view text, std::string_view shape,
                   api::NameCheck check) {
  const api::Problems problems = check(text);
  if (problems.empty()) return {};
  return Status(Reason::kBadRequest, fmt::format("pod {} {} is not a valid DNS {}: {}", what,
                                                 api::quoted(text), shape, join(problems, ";")));
}

Result<std::string> cut(const Pod& pod, std::string_view name) {
  if (name.size() <= kMaxShort) return std::string(name);
  const std::string_view front = name.substr(0, kMaxShort);
  const size_t last = front.find_last_not_of("-.");
  if (last == std::string_view::npos) {
    return Status(Reason::kBadRequest, fmt::format("hostname for pod {} was invalid: {}",
                                                   api::quoted(pod.name()), api::quoted(name)));
  }
  return std::string(front.substr(0, last + 1));
}

Result<PodHostname> overridden(const Pod& pod, std::string_view name) {
  TRY(check("HostnameOverride", name, "subdomain", api::check_dns1123_subdomain));
  PodHostname found;
  found.short_name = TRY(cut(pod, name));
  found.hostname = found.short_name;
  return found;
}

Result<std::string> domain_of(const Pod& pod, const KubeletOptions& options) {
  const std::string_view subdomain = pod.spec()["subdomain"].text();
  if (subdomain.empty()) return std::string();
  TRY(check("Subdomain", subdomain, "label", api::check_dns1123_label));
  return fmt::format("{}.{}.svc.{}", subdomain, pod.name_space(), options.cluster_domain);
}

Result<std::string> full_name(const PodHostname& found) {
  std::string full = fmt::format("{}.{}", found.short_name, found.domain);
  if (full.size() <= kMaxFull) return full;
  return Status(Reason::kBadRequest,
                fmt::format("failed to construct FQDN from pod hostname and cluster domain, FQDN "
                            "{} is too long ({} characters is the max, {} characters requested)",
                            full, kMaxFull, full.size()));
}

void append_aliases(std::string& text, api::View aliases) {
  if (aliases.empty()) return;
  text += "\n# Entries added by HostAliases.\n";
  for (const api::View alias : aliases.items()) {
    text += alias["ip"].text();
    text += '\t';
    bool first = true;
    for (const api::View name : alias["hostnames"].items()) {
      if (!first) text += '\t';
      first = false;
      text += name.text();
    }
    text += '\n';
  }
}

}  // namespace hostname

Result<PodHostname> hostname_for(const Pod& pod, const KubeletOptions& options) {
  const api::View spec = pod.spec();
  if (spec["hostnameOverride"]) {
    PodHostname found = TRY(hostname::overridden(pod, spec["hostnameOverride"].text()));
    if (pod.uses_host_network()) found.hostname.clear();
    return found;
  }
  std::string_view name = spec["hostname"].text();
  if (name.empty()) {
    name = pod.name();
  } else {
    TRY(hostname::check("Hostname", name, "label", api::check_dns1123_label));
  }
  PodHostname found;
  found.short_name = TRY(hostname::cut(pod, name));
  found.domain = TRY(hostname::domain_of(pod, options));
  if (pod.uses_host_network()) return found;
  found.hostname = found.short_name;
  if (!found.domain.empty() && spec["setHostnameAsFQDN"].flag()) {
    found.hostname = TRY(hostname::full_name(found));
  }
  return found;
}

std::string hosts_file(const Pod& pod, const std::vector<std::string>& addresses,
                       const PodHostname& hostname, std::string_view node_file) {
  std::string text;
  if (pod.uses_host_network()) {
    text = "# Kubernetes-managed hosts file (host network).\n";
    text += node_file;
  } else {
    text =
        "# Kubernetes-managed hosts file.\n"
        "127.0.0.1\tlocalhost\n"
        "::1\tlocalhost ip6-localhost ip6-loopback\n"
        "fe00::0\tip6-localnet\n"
        "fe00::0\tip6-mcastprefix\n"
        "fe00::1\tip6-allnodes\n"
        "fe00::2\tip6-allrouters\n";
    for (const std::string& address : addresses) {
      text += address + '\t';
      if (!hostname.domain.empty()) text += hostname.short_name + '.' + hostname.domain + '\t';
      text += hostname.short_name + '\n';
    }
  }
  hostname::append_aliases(text, pod.spec()["hostAliases"]);
  return text;
}

}  // namespace proa::kubelet
