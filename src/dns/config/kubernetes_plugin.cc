#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace kubernetes_plugin {

void read_pods(const PluginContext& context, const CorefileLine& option) {
  const std::string_view mode = option.words.size() == 2 ? option.words[1] : std::string_view();
  if (mode == "disabled") {
    context.settings.cluster.pods = PodRecords::kDisabled;
  } else if (mode == "insecure") {
    context.settings.cluster.pods = PodRecords::kInsecure;
  } else if (mode == "verified") {
    context.settings.cluster.pods = PodRecords::kVerified;
  } else {
    context.error(option, "pods must be disabled, insecure or verified");
  }
}

void read_ttl(const PluginContext& context, const CorefileLine& option) {
  const auto ttl = option.words.size() == 2 ? parse_uint(option.words[1]) : std::nullopt;
  if (!ttl || *ttl > 3600) {
    context.error(option, "ttl must be a number of seconds between 0 and 3600");
    return;
  }
  context.settings.cluster.ttl = static_cast<uint32_t>(*ttl);
}

void read_fallthrough(const PluginContext& context, const CorefileLine& option) {
  auto& zones = context.settings.cluster.fallthrough;
  zones.clear();
  if (option.words.size() == 1) zones = {"."};
  for (const std::string& word : std::span(option.words).subspan(1)) {
    if (auto zone = parse_zone(word)) {
      zones.push_back(std::move(*zone));
    } else {
      context.error(option, fmt::format("\"{}\" is not a zone", word));
    }
  }
}

constexpr PluginOption kOptions[] = {
    {"pods", read_pods},
    {"ttl", read_ttl},
    {"fallthrough", read_fallthrough},
    {"upstream", nullptr},  // of old releases
    {"resyncperiod", nullptr},
    {"endpoint_pod_names", unsupported_option},
    {"namespaces", unsupported_option},
    {"namespace_labels", unsupported_option},
    {"labels", unsupported_option},
    {"noendpoints", unsupported_option},
    {"zonal", unsupported_option},
    {"ignore", unsupported_option},
    {"multicluster", unsupported_option},
    {"endpoint", unsupported_option},
    {"kubeconfig", unsupported_option},
    {"tls", unsupported_option},
    {"startup_timeout", unsupported_option},
    {"apiserver_qps", unsupported_option},
    {"apiserver_burst", unsupported_option},
    {"apiserver_max_inflight", unsupported_option},
};

std::optional<std::string> zone_of(const PluginContext& context, const std::string& word) {
  auto zone = parse_zone(word);
  if (zone) return zone;
  if (parse_prefix(word)) {
    context.warn(context.line, fmt::format("{} is ignored: zones are names, not ranges", word));
  } else {
    context.error(context.line, fmt::format("\"{}\" is not a zone", word));
  }
  return std::nullopt;
}

// Whether it is another one than a reverse zone.
bool add_zone(const PluginContext& context, std::string zone) {
  auto& zones = context.settings.cluster.zones;
  if (is_within(zone, "in-addr.arpa") || is_within(zone, "ip6.arpa")) {
    zones.push_back(std::move(zone));
    return false;
  }
  if (zone != zones.front() && zone != ".") {
    context.warn(context.line,
                 fmt::format("{} is not served: only {}, the domain of this cluster, is", zone,
                             zones.front()));
  }
  return true;
}

}  // namespace kubernetes_plugin

void read_kubernetes_plugin(const PluginContext& context) {
  ClusterSettings& cluster = context.settings.cluster;
  const std::string domain = cluster.zones.front();
  cluster = {.zones = {domain}, .ttl = 5, .pods = PodRecords::kDisabled, .fallthrough = {}};
  if (context.arguments().empty()) {
    // Those of the block.
    for (const std::string& zone : context.zones) kubernetes_plugin::add_zone(context, zone);
  }
  bool forward = context.arguments().empty();
  for (const std::string& word : context.arguments()) {
    if (auto zone = kubernetes_plugin::zone_of(context, word)) {
      forward = kubernetes_plugin::add_zone(context, std::move(*zone)) || forward;
    } else {
      forward = true;  // one mistake is named once
    }
  }
  if (!forward) context.error(context.line, "a zone is required that is not a reverse zone");
  read_options(context, kubernetes_plugin::kOptions);
}

}  // namespace proa::dns
