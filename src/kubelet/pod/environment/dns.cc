#include "kubelet/pod/environment/dns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/ip_address.h"
#include "base/net/resolv_conf.h"
#include "base/strings.h"
#include "kubelet/host/resolver_file.h"
#include "kubelet/model/reference.h"

namespace proa::kubelet {
namespace dns {

using Texts = std::vector<std::string>;

// A proxy name of Services: no proxy carries them, nodes answer at their addresses.
constexpr std::string_view kAnsweredByNodes = "proa-dns";

enum class Base : uint8_t { kCluster, kNode, kNone };

bool has(const Texts& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

Texts without_duplicates(const Texts& list) {
  Texts kept;
  for (const std::string& text : list) {
    if (!has(kept, text)) kept.push_back(text);
  }
  return kept;
}

Result<DnsConfig> read_file(std::string_view text) {
  ResolvConf conf = read_resolv_conf(text);
  if (conf.empty_server) {
    // Upstream's parseResolvConf, with the space at the end.
    return Status(Reason::kBadRequest,
                  "Encountered error while parsing resolv conf file. Error: nameserver list is "
                  "empty ");
  }
  return DnsConfig{.servers = std::move(conf.servers),
                   .searches = std::move(conf.searches),
                   .options = std::move(conf.options)};
}

Base base_of(const Pod& pod) {
  const std::string_view policy = pod.spec()["dnsPolicy"].text("ClusterFirst");
  if (policy == "None") return Base::kNone;
  if (policy == "Default") return Base::kNode;
  if (policy == "ClusterFirst" && pod.uses_host_network()) return Base::kNode;
  return Base::kCluster;
}

void use_cluster(const Pod& pod, const KubeletOptions& options,
                 std::span<const std::string> cluster, DnsConfig& config) {
  config.servers.clear();
  for (const std::string& server : cluster) {
    const auto address = parse_ip(server);
    config.servers.push_back(address ? address->str() : server);
  }
  config.options = {"ndots:5"};
  const std::string& domain = options.cluster_domain;
  if (domain.empty()) return;
  Texts searches = {fmt::format("{}.svc.{}", pod.name_space(), domain), "svc." + domain, domain};
  searches.insert(searches.end(), config.searches.begin(), config.searches.end());
  config.searches = without_duplicates(searches);
}

// A node without a resolv.conf: the resolver on the node itself.
void use_local(const KubeletOptions& options, DnsConfig& config) {
  for (const std::string& address : options.addresses) {
    const auto parsed = parse_ip(address);
    config.servers.emplace_back(parsed && !parsed->is_v4() ? "::1" : "127.0.0.1");
  }
  if (config.servers.empty()) config.servers.emplace_back("127.0.0.1");
  config.searches = {"."};
}

void add_own(api::View own, DnsConfig& config) {
  if (!own) return;
  for (const api::View server : own["nameservers"].items()) {
    config.servers.emplace_back(server.text());
  }
  for (const api::View search : own["searches"].items()) {
    config.searches.emplace_back(search.text());
  }
  config.servers = without_duplicates(config.servers);
  config.searches = without_duplicates(config.searches);
  for (const api::View option : own["options"].items()) {
    std::string text(option["name"].text());
    if (const std::string_view value = option["value"].text(); !value.empty()) {
      text += ':';
      text += value;
    }
    set_resolver_option(config.options, std::move(text));
  }
}

void limit_servers(Texts& servers, std::vector<DnsWarning>& warnings) {
  if (servers.size() <= kMaxNameservers) return;
  servers.resize(kMaxNameservers);
  warnings.push_back(
      {.reason = "DNSConfigForming",
       .message = fmt::format("Nameserver limits were exceeded, some nameservers have been "
                              "omitted, the applied nameserver line is: {}",
                              join(servers, " "))});
}

void limit_searches(Texts& searches, std::vector<DnsWarning>& warnings) {
  const size_t asked = searches.size();
  if (searches.size() > kMaxSearchPaths) searches.resize(kMaxSearchPaths);
  std::erase_if(searches, [](const std::string& path) { return path.size() > kMaxSearchPath; });
  while (join(searches, " ").size() > kMaxSearchLine) searches.pop_back();
  if (searches.size() == asked) return;
  warnings.push_back(
      {.reason = "DNSConfigForming",
       .message = fmt::format("Search Line limits were exceeded, some search paths have been "
                              "omitted, the applied search line is: {}",
                              join(searches, " "))});
}

void warn_of_missing(const Pod& pod, std::vector<DnsWarning>& warnings) {
  const std::string message =
      "kubelet does not have ClusterDNS IP configured and cannot create Pod using \"ClusterFirst\" "
      "policy. Falling back to \"Default\" policy.";
  warnings.push_back(
      {.about = DnsWarning::About::kNode, .reason = "MissingClusterDNS", .message = message});
  warnings.push_back({.reason = "MissingClusterDNS",
                      .message = fmt::format("pod: \"{}\". {}", pod_text(pod), message)});
}

}  // namespace dns

std::vector<std::string> dns_service_addresses(std::span<const api::ObjectPtr> services) {
  std::vector<std::string> addresses;
  for (const api::ObjectPtr& service : services) {
    const api::Metadata& metadata = service->metadata();
    if (metadata.name_space != "kube-system" || metadata.name != "kube-dns") continue;
    const std::string_view* proxy = metadata.label("service.kubernetes.io/service-proxy-name");
    if (proxy != nullptr && *proxy == dns::kAnsweredByNodes) continue;
    const auto document = service->document();
    if (!document.ok()) continue;
    for (const api::View address : api::View(document->root())["spec"]["clusterIPs"].items()) {
      if (parse_ip(address.text())) addresses.emplace_back(address.text());
    }
  }
  return addresses;
}

Result<DnsConfig> dns_for(const Pod& pod, const KubeletOptions& options,
                          std::span<const std::string> cluster, std::string_view node_file,
                          std::vector<DnsWarning>& warnings) {
  DnsConfig config;
  if (!options.resolv_conf.empty()) config = TRY(dns::read_file(node_file));
  dns::Base base = dns::base_of(pod);
  if (base == dns::Base::kCluster && cluster.empty()) {
    dns::warn_of_missing(pod, warnings);
    base = dns::Base::kNode;
  }
  switch (base) {
    case dns::Base::kNone:
      config = {};
      break;
    case dns::Base::kCluster:
      dns::use_cluster(pod, options, cluster, config);
      break;
    case dns::Base::kNode:
      if (options.resolv_conf.empty()) dns::use_local(options, config);
      break;
  }
  dns::add_own(pod.spec()["dnsConfig"], config);
  dns::limit_servers(config.servers, warnings);
  dns::limit_searches(config.searches, warnings);
  return config;
}

}  // namespace proa::kubelet
