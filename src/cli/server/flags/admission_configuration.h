#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/files.h"
#include "base/result.h"
#include "json/value.h"

namespace proa::cli {

// The configuration of each plugin by name, from an AdmissionConfiguration
// (apiserver.config.k8s.io/v1) and the files that it refers to.
using PluginConfigurations = std::map<std::string, std::shared_ptr<const json::Document>>;
Result<PluginConfigurations> read_admission_configuration(const std::string& path, Files& files);

}  // namespace proa::cli
