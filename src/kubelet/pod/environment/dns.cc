#include "kubelet/pod/environment/dns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/net/ip_address.h"
#include "base/strings.h"

namespace proa::kubelet {
namespace dns {

// Of core validation: what C libraries are sure to read.
constexpr size_t kMaxServers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchLine = 2048;
constexpr size_t kMaxSearch = 253;  // glibc 2.28 aborts at longer ones

using Texts = std::vector<std::string>;

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

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> found;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t\r\v\f");
    if (begin == std::string_view::npos) return found;
    line.remove_prefix(begin);
    const size_t end = std::min(line.find_first_of(" \t\r\v\f"), line.size());
    found.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

std::string_view option_name(std::string_view option) { return option.substr(0, option.find(':')); }

// The last of a name counts, in the place of the first.
void set_option(Texts& options, std::string option) {
  for (std::string& known : options) {
    if (option_name(known) != option_name(option)) continue;
    known = std::move(option);
    return;
  }
  options.push_back(std::move(option));
}

Result<void> read_line(const std::vector<std::string_view>& line, DnsConfig& config) {
  const std::string_view word = line.front();
  if (word == "nameserver") {
    if (line.size() < 2) {
      // Upstream's parseResolvConf, with the space at the end.
      return Status(Reason::kBadRequest,
                    "Encountered error while parsing resolv conf file. Error: nameserver list is "
                    "empty ");
    }
    config.servers.emplace_back(line[1]);
  } else if (word == "search") {
    config.searches.clear();
    for (size_t i = 1; i < line.size(); ++i) {
      std::string_view path = line[i];
      if (path == ".") continue;
      // The same domain with and without a dot at its end counts once.
      if (path.ends_with('.')) path.remove_suffix(1);
      config.searches.emplace_back(path);
    }
  } else if (word == "options") {
    for (size_t i = 1; i < line.size(); ++i) set_option(config.options, std::string(line[i]));
  }
  return {};
}

Result<DnsConfig> read_file(std::string_view text) {
  DnsConfig config;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> found = words(line);
    if (found.empty() || found.front().starts_with('#')) continue;
    TRY(read_line(found, config));
  }
  return config;
}

Base base_of(const Pod& pod) {
  const std::string_view policy = pod.spec()["dnsPolicy"].text("ClusterFirst");
  if (policy == "None") return Base::kNone;
  if (policy == "Default") return Base::kNode;
  if (policy == "ClusterFirst" && pod.uses_host_network()) return Base::kNode;
  return Base::kCluster;
}

void use_cluster(const Pod& pod, const KubeletOptions& options, DnsConfig& config) {
  config.servers.clear();
  for (const std::string& server : options.cluster_dns) {
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
    set_option(config.options, std::move(text));
  }
}

void limit_servers(Texts& servers, std::vector<DnsWarning>& warnings) {
  if (servers.size() <= kMaxServers) return;
  servers.resize(kMaxServers);
  warnings.push_back(
      {.reason = "DNSConfigForming",
       .message = fmt::format("Nameserver limits were exceeded, some nameservers have been "
                              "omitted, the applied nameserver line is: {}",
                              join(servers, " "))});
}

void limit_searches(Texts& searches, std::vector<DnsWarning>& warnings) {
  const size_t asked = searches.size();
  if (searches.size() > kMaxSearches) searches.resize(kMaxSearches);
  std::erase_if(searches, [](const std::string& path) { return path.size() > kMaxSearch; });
  while (join(searches, " ").size() > kMaxSearchLine) searches.pop_back();
  if (searches.size() == asked) return;
  warnings.push_back(
      {.reason = "DNSConfigForming",
       .message = fmt::format("Search Line limits were exceeded, some search paths have been "
                              "omitted, the applied search line is: {}",
                              join(searches, " "))});
}

}  // namespace dns

Result<DnsConfig> dns_for(const Pod& pod, const KubeletOptions& options, std::string_view node_file,
                          std::vector<DnsWarning>& warnings) {
  DnsConfig config;
  if (!options.resolv_conf.empty()) config = TRY(dns::read_file(node_file));
  dns::Base base = dns::base_of(pod);
  // Without a cluster DNS that is how things are, and no news about every single pod.
  if (base == dns::Base::kCluster && options.cluster_dns.empty()) base = dns::Base::kNode;
  switch (base) {
    case dns::Base::kNone:
      config = {};
      break;
    case dns::Base::kCluster:
      dns::use_cluster(pod, options, config);
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
