#include "dns/config/corefile_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"
#include "dns/config/corefile.h"
#include "dns/config/names.h"
#include "dns/config/plugin_options.h"

namespace proa::dns {
namespace corefile_settings {

// More blocks and zones than a person writes; each may cost a comparison per query.
constexpr size_t kMostZones = 1'000;

void read_log(const PluginContext& context) { context.settings.log_queries = true; }
void read_loadbalance(const PluginContext& context) { context.settings.rotate = true; }

struct Plugin {
  std::string_view name;
  void (*read)(const PluginContext& context);  // null: accepted
};

constexpr Plugin kPlugins[] = {
    {"kubernetes", read_kubernetes_plugin},
    {"forward", read_forward_plugin},
    {"cache", read_cache_plugin},
    {"hosts", read_hosts_plugin},
    {"rewrite", read_rewrite_plugin},
    {"log", read_log},
    {"loadbalance", read_loadbalance},
    {"errors", nullptr},      // failures are always logged
    {"health", nullptr},      // of the node's process
    {"ready", nullptr},       // the same
    {"loop", nullptr},        // always looked for
    {"reload", nullptr},      // by watch
    {"prometheus", nullptr},  // the node's port for metrics
    {"lameduck", nullptr},
    {"bufsize", nullptr},
};

// ".:53", "example.org", "dns://example.org:53". Empty if the block is not for us.
std::string zone_of_key(const CorefileBlock& block, std::string_view key, Problems& problems) {
  std::string_view text = key;
  const auto warn = [&](std::string_view what) {
    problems.warnings.push_back(
        fmt::format("Corefile line {}: block {} is ignored: {}", block.line, key, what));
    return std::string();
  };
  if (key.starts_with('(')) return warn("snippets are not supported");
  if (const size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    if (text.substr(0, scheme) != "dns") return warn("only plain DNS is served");
    text.remove_prefix(scheme + 3);
  }
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (text.substr(colon + 1) != "53") return warn("only port 53 is served");
    text = text.substr(0, colon);
  }
  auto zone = parse_zone(text.empty() ? "." : text);
  if (!zone) return warn("it is not a zone");
  return *zone;
}

void read_block(const CorefileBlock& block, std::string_view zone, Settings& settings,
                Problems& problems) {
  for (const CorefileLine& line : block.plugins) {
    const PluginContext context{zone, line, settings, problems};
    const auto* const found =
        std::find_if(std::begin(kPlugins), std::end(kPlugins),
                     [&](const Plugin& plugin) { return plugin.name == line.words.front(); });
    if (found == std::end(kPlugins)) {
      problems.warnings.push_back(fmt::format("Corefile line {}: plugin {} is not supported",
                                              line.number, line.words.front()));
    } else if (found->read != nullptr) {
      found->read(context);
    }
  }
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
  size_t zones = 0;
  for (const CorefileBlock& block : *blocks) {
    for (const std::string& key : block.keys) {
      const std::string zone = corefile_settings::zone_of_key(block, key, problems);
      if (zone.empty()) continue;
      if (++zones > corefile_settings::kMostZones) {
        problems.errors.push_back(
            fmt::format("the Corefile has more than {} zones", corefile_settings::kMostZones));
        return;
      }
      corefile_settings::read_block(block, zone, settings, problems);
    }
  }
  if (zones == 0) problems.errors.emplace_back("the Corefile has no block for port 53");
}

}  // namespace proa::dns
