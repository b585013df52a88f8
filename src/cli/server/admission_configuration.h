#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/files.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::cli {

// What an AdmissionConfiguration (apiserver.config.k8s.io/v1) says to each plugin, by their names:
// in the file itself, or in files beside it that it names.
using PluginConfigurations = std::map<std::string, std::shared_ptr<const json::Document>>;
Result<PluginConfigurations> read_admission_configuration(const std::string& path, Files& files);

}  // namespace proa::cli
