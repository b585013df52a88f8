#include "dns/config/plugin_options.h"

#include <fmt/format.h>

#include <algorithm>

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
      context.warn(option, fmt::format("option {} is not supported", option.words.front()));
    } else if (found->read != nullptr) {
      found->read(context, option);
    }
  }
}

}  // namespace proa::dns
