#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/access/admission/plugin.h"

namespace proa::apiserver {

// Which plugins shall be on, beside or instead of those that are by themselves.
struct PluginChoice {
  std::vector<std::string> enabled = {};   // --enable-admission-plugins
  std::vector<std::string> disabled = {};  // --disable-admission-plugins
  // What plugins are told, by their names: --admission-control-config-file.
  std::map<std::string, std::shared_ptr<const json::Document>> configuration = {};
};

// In upstream's order. What `context` says of a plugin's configuration is replaced by the choice's.
// kInvalid for a plugin that there is not, or that is both on and off.
Result<std::vector<std::unique_ptr<AdmissionPlugin>>> make_plugins(const PluginChoice& choice,
                                                                   const AdmissionContext& context);

// Of all that there are, in their order.
std::vector<std::string_view> plugin_names();

}  // namespace proa::apiserver
