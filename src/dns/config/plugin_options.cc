#include "dns/config/plugin_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"

namespace proa::dns {
namespace plugin_options {

std::string at(const PluginContext& context, const CorefileLine& line, std::string_view what) {
  return fmt::format("Corefile line {}: {}: {}", line.number, context.line.words.front(), what);
}

}  // namespace plugin_options

void PluginContext::error(const CorefileLine& at, std::string_view what) const {
  problems.errors.push_back(plugin_options::at(*this, at, what));
}

void PluginContext::warn(const CorefileLine& at, std::string_view what) const {
  problems.warnings.push_back(plugin_options::at(*this, at, what));
}

void read_options(const PluginContext& context, std::span<const PluginOption> table) {
  for (const CorefileLine& option : context.line.options) {
    const auto found = std::find_if(table.begin(), table.end(), [&](const PluginOption& one) {
      return one.name == option.words.front();
    });
    if (found == table.end()) {
      context.error(option, fmt::format("unknown option {}", option.words.front()));
    } else if (found->read != nullptr) {
      found->read(context, option);
    }
  }
}

void unsupported_option(const PluginContext& context, const CorefileLine& option) {
  context.warn(option, fmt::format("option {} is not supported", option.words.front()));
}

void ignored_duration(const PluginContext& context, const CorefileLine& option) {
  if (option.words.size() == 2 && parse_duration(option.words[1]).ok()) return;
  context.error(option, fmt::format("{} needs a duration such as 5s", option.words.front()));
}

}  // namespace proa::dns
