#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "dns/config/corefile.h"
#include "dns/config/settings.h"

namespace proa::dns {

// What reading one plugin of a Corefile needs.
struct PluginContext {
  std::string_view zone;  // of the block: "." or that of a stub domain
  const CorefileLine& line;
  Settings& settings;
  Problems& problems;
  std::span<const std::string> zones = {};  // all of the block

  std::span<const std::string> arguments() const { return std::span(line.words).subspan(1); }
  // Problems of a line of this plugin.
  void error(const CorefileLine& at, std::string_view what) const;
  void warn(const CorefileLine& at, std::string_view what) const;
};

// One option of a plugin's block: how it is read.
struct PluginOption {
  std::string_view name;
  void (*read)(const PluginContext& context, const CorefileLine& option);  // null: accepted
};

// Reads the block of a plugin by a table. Options that are not in it are errors: CoreDNS would not
// start with them, either.
void read_options(const PluginContext& context, std::span<const PluginOption> table);

// For tables: an option that CoreDNS has, and this does not. A warning.
void unsupported_option(const PluginContext& context, const CorefileLine& option);
// For tables: has no effect here, but must be one duration, such as "5s".
void ignored_duration(const PluginContext& context, const CorefileLine& option);

void read_forward_plugin(const PluginContext& context);
void read_cache_plugin(const PluginContext& context);
void read_kubernetes_plugin(const PluginContext& context);
void read_hosts_plugin(const PluginContext& context);
void read_rewrite_plugin(const PluginContext& context);

}  // namespace proa::dns
