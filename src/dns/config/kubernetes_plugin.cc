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

void read_endpoint_pod_names(const PluginContext& context, const CorefileLine&) {
  context.settings.cluster.endpoint_pod_names = true;
}

void read_fallthrough(const PluginContext& context, const CorefileLine& option) {
  auto& zones = context.settings.cluster.fallthrough;
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
    {"endpoint_pod_names", read_endpoint_pod_names},
    {"fallthrough", read_fallthrough},
    {"upstream", nullptr},  // of old releases
    {"resyncperiod", nullptr},
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

}  // namespace kubernetes_plugin

void read_kubernetes_plugin(const PluginContext& context) {
  ClusterSettings& cluster = context.settings.cluster;
  const std::string domain = cluster.zones.front();
  cluster = {.zones = {domain}, .ttl = 5, .pods = PodRecords::kDisabled, .fallthrough = {}};
  bool named = context.arguments().empty();
  for (const std::string& word : context.arguments()) {
    auto zone = parse_zone(word);
    if (!zone) {
      context.error(context.line, fmt::format("\"{}\" is not a zone", word));
    } else if (*zone == domain) {
      named = true;
    } else {
      cluster.zones.push_back(std::move(*zone));
    }
  }
  if (!named) {
    context.warn(context.line,
                 fmt::format("{}, the domain of this cluster, is not named and stays", domain));
  }
  read_options(context, kubernetes_plugin::kOptions);
}

}  // namespace proa::dns
