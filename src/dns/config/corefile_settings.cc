#include "dns/config/corefile_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "dns/config/corefile.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace corefile_settings {

// More blocks and zones than a person writes; each may cost a comparison per query.
constexpr size_t kMostZones = 1'000;

constexpr PluginOption kLogOptions[] = {{"class", unsupported_option}};
constexpr PluginOption kLoadBalanceOptions[] = {{"prefer", unsupported_option}};
constexpr PluginOption kErrorsOptions[] = {{"stacktrace", nullptr}, {"consolidate", nullptr}};
constexpr PluginOption kHealthOptions[] = {{"lameduck", ignored_duration}};
constexpr PluginOption kReadyOptions[] = {{"monitor", nullptr}};
constexpr PluginOption kPrometheusOptions[] = {{"runtime_metrics", nullptr},
                                               {"tls", unsupported_option}};

void read_log(const PluginContext& context) {
  context.settings.log_queries = true;
  if (!context.arguments().empty()) {
    context.warn(context.line, "all queries are logged, in a format of their own");
  }
  read_options(context, kLogOptions);
}

void read_loadbalance(const PluginContext& context) {
  context.settings.rotate = true;
  const auto arguments = context.arguments();
  if (!arguments.empty() && arguments[0] == "weighted") {
    // Its block is about the file of weights.
    context.warn(context.line, "weights are not supported; addresses are in turn");
    return;
  }
  if (!arguments.empty() && arguments[0] != "round_robin") {
    context.error(context.line, fmt::format("unknown policy {}", arguments[0]));
  }
  read_options(context, kLoadBalanceOptions);
}

// What has another place here: only its form is looked at.
void read_errors(const PluginContext& context) { read_options(context, kErrorsOptions); }
void read_health(const PluginContext& context) { read_options(context, kHealthOptions); }
void read_ready(const PluginContext& context) { read_options(context, kReadyOptions); }
void read_prometheus(const PluginContext& context) { read_options(context, kPrometheusOptions); }
void read_nothing(const PluginContext& context) { read_options(context, {}); }

void read_reload(const PluginContext& context) {
  for (const std::string& word : context.arguments()) {
    if (parse_duration(word).ok()) continue;
    context.error(context.line, fmt::format("\"{}\" is not a duration", word));
  }
  read_options(context, {});
}

struct Plugin {
  std::string_view name;
  void (*read)(const PluginContext& context);
  bool once = false;  // in a block
};

constexpr Plugin kPlugins[] = {
    {"kubernetes", read_kubernetes_plugin, true},
    {"forward", read_forward_plugin},
    {"cache", read_cache_plugin, true},
    {"hosts", read_hosts_plugin, true},
    {"rewrite", read_rewrite_plugin},
    {"log", read_log},
    {"loadbalance", read_loadbalance},
    {"errors", read_errors, true},          // failures are always logged
    {"health", read_health},                // of the node's process
    {"ready", read_ready, true},            // the same
    {"loop", read_nothing, true},           // always looked for
    {"reload", read_reload},                // by watch
    {"prometheus", read_prometheus, true},  // the node's port for metrics
    {"bufsize", read_nothing},              // always 1232
};

// Those that CoreDNS 1.14 has besides.
constexpr std::string_view kUnsupported[] = {
    "acl",     "any",       "auto",         "autopath", "azure",       "bind",     "cancel",
    "chaos",   "clouddns",  "debug",        "dns64",    "dnssec",      "dnstap",   "erratic",
    "etcd",    "file",      "geoip",        "grpc",     "grpc_server", "header",   "https",
    "https3",  "import",    "k8s_external", "local",    "metadata",    "minimal",  "multisocket",
    "nomad",   "nsid",      "on",           "pprof",    "proxyproto",  "quic",     "root",
    "route53", "secondary", "shed",         "sign",     "template",    "timeouts", "tls",
    "trace",   "transfer",  "tsig",         "view",     "whoami"};

void read_plugin(const PluginContext& context, bool again) {
  const std::string& name = context.line.words.front();
  const size_t number = context.line.number;
  const auto* const found = std::ranges::find(kPlugins, name, &Plugin::name);
  if (found == std::end(kPlugins)) {
    const bool known = std::ranges::find(kUnsupported, name) != std::end(kUnsupported);
    (known ? context.problems.warnings : context.problems.errors)
        .push_back(fmt::format("Corefile line {}: {} {}{}", number,
                               known ? "plugin" : "unknown plugin", name,
                               known ? " is not supported" : ""));
  } else if (found->once && again) {
    context.error(context.line, "a block has this plugin only once");
  } else {
    found->read(context);
  }
}

// ".:53", "example.org", "dns://example.org:53". Empty if the block is not for us.
std::string zone_of_key(const CorefileBlock& block, std::string_view key, Problems& problems) {
  std::string_view text = key;
  const auto warn = [&](std::string_view what) {
    problems.warnings.push_back(
        fmt::format("Corefile line {}: block {} is ignored: {}", block.line, key, what));
    return std::string();
  };
  const auto fail = [&](std::string_view what) {
    problems.errors.push_back(fmt::format("Corefile line {}: block {}: {}", block.line, key, what));
    return std::string();
  };
  if (key.starts_with('(')) return warn("snippets are not supported");
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    if (text.substr(0, scheme) != "dns") return warn("only plain DNS is served");
    text.remove_prefix(scheme + 3);
  }
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (!parse_uint(text.substr(colon + 1))) return fail("its port is not a number");
    if (text.substr(colon + 1) != "53") return warn("only port 53 is served");
    text = text.substr(0, colon);
  }
  if (text.find('/') != std::string_view::npos) return warn("zones are names, not ranges");
  auto zone = parse_zone(text.empty() ? "." : text);
  if (!zone) return fail("it is not a zone");
  return *zone;
}

// For one of its zones.
void read_block(const CorefileBlock& block, std::string_view zone,
                std::span<const std::string> zones, Settings& settings, Problems& problems) {
  std::set<std::string_view> names;
  for (const CorefileLine& line : block.plugins) {
    const bool again = !names.insert(line.words.front()).second;
    read_plugin({zone, line, settings, problems, zones}, again);
  }
}

// Most problems of a block are those of all its zones.
void add_new(const std::vector<std::string>& found, std::vector<std::string>& problems) {
  for (const std::string& one : found) {
    if (std::ranges::find(problems, one) == problems.end()) problems.push_back(one);
  }
}

// The hosts of a block are not those of the zones below it that have blocks of their own.
void open_hosts(std::span<const std::string> zones, Settings& settings) {
  if (settings.hosts.zones.empty()) return;
  for (const std::string& zone : zones) {
    const auto& known = settings.hosts.zones;
    if (std::ranges::find(known, zone, &HostsZone::zone) != known.end()) continue;
    settings.hosts.zones.push_back({.zone = zone, .fallthrough = {"."}});
  }
}

// There is one cache, that of the block of the root: a warning where a block that forwards has
// another one.
void compare_caches(const CorefileBlock& block, std::span<const std::string> zones,
                    const Settings& settings, Problems& problems) {
  const auto plugin = [&](std::string_view name) {
    return std::ranges::find_if(
        block.plugins, [&](const CorefileLine& line) { return line.words.front() == name; });
  };
  if (zones.empty() || std::ranges::find(zones, ".") != zones.end()) return;
  if (plugin("forward") == block.plugins.end()) return;
  Settings own{.cluster = settings.cluster, .cache = {.enabled = false}};
  const auto cache = plugin("cache");
  Problems known;
  if (cache != block.plugins.end()) read_cache_plugin({".", *cache, own, known, zones});
  if (own.cache == settings.cache || (!own.cache.enabled && !settings.cache.enabled)) return;
  problems.warnings.push_back(fmt::format(
      "Corefile line {}: answers for {} are {}cached as those of the block of \".\": there is one "
      "cache",
      block.line, zones.front(), settings.cache.enabled ? "" : "not "));
}

}  // namespace corefile_settings

void read_corefile(std::string_view text, Settings& settings, Problems& problems) {
  const Result<std::vector<CorefileBlock>> blocks = parse_corefile(text);
  if (!blocks.ok()) {
    problems.errors.push_back(blocks.status().message());
    return;
  }
  // What is not named is off, as with CoreDNS; only the names of the cluster stay.
  settings.forwards.clear();
  settings.cache.enabled = false;
  settings.hosts = {};
  settings.rewrites.clear();
  settings.log_queries = false;
  settings.rotate = false;
  std::vector<std::string> zones;
  std::vector<std::vector<std::string>> zones_of;  // each block
  for (const CorefileBlock& block : *blocks) {
    if (block.keys.front() == "import") {
      problems.warnings.push_back(
          fmt::format("Corefile line {}: import is not supported", block.line));
      zones_of.emplace_back();
      continue;
    }
    std::vector<std::string> of_block;
    for (const std::string& key : block.keys) {
      std::string zone = corefile_settings::zone_of_key(block, key, problems);
      if (!zone.empty()) of_block.push_back(std::move(zone));
    }
    if (zones.size() + of_block.size() > corefile_settings::kMostZones) {
      problems.errors.push_back(
          fmt::format("the Corefile has more than {} zones", corefile_settings::kMostZones));
      return;
    }
    zones.insert(zones.end(), of_block.begin(), of_block.end());
    zones_of.push_back(of_block);
    for (const std::string& zone : of_block) {
      Problems found;
      corefile_settings::read_block(block, zone, of_block, settings, found);
      corefile_settings::add_new(found.errors, problems.errors);
      corefile_settings::add_new(found.warnings, problems.warnings);
    }
  }
  corefile_settings::open_hosts(zones, settings);
  for (size_t i = 0; i < blocks->size(); ++i) {
    corefile_settings::compare_caches((*blocks)[i], zones_of[i], settings, problems);
  }
  if (zones.empty()) problems.errors.emplace_back("the Corefile has no block for port 53");
}

}  // namespace proa::dns
