#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/plugin.h"
#include "base/files.h"

namespace proa::apiserver {

// Which plugins to enable and disable, relative to the defaults.
struct PluginChoice {
  std::vector<std::string> enabled = {};   // --enable-admission-plugins
  std::vector<std::string> disabled = {};  // --disable-admission-plugins
  // Configuration by plugin name: --admission-control-config-file.
  std::map<std::string, std::shared_ptr<const json::Document>> configuration = {};
  std::string configuration_file = {};  // for messages
  // By plugin name: what its configuration refers to.
  std::map<std::string, std::shared_ptr<const HookCredentials>> credentials = {};
};

// Reads the credentials that configurations of webhook plugins refer to.
Result<void> read_credentials(PluginChoice& choice, Files& files);

// kInvalid if a plugin is unknown, or both enabled and disabled, or if one that is enabled cannot
// be made with its configuration.
Result<void> check_plugins(const PluginChoice& choice);

// In upstream's order. `choice` overrides the configuration in `context`. Fails as
// check_plugins().
Result<std::vector<NamedPlugin>> make_plugins(const PluginChoice& choice,
                                              const AdmissionContext& context);

// The names of all plugins, in order.
std::vector<std::string_view> plugin_names();

}  // namespace proa::apiserver
