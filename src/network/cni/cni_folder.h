#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "network/cni/cni_config.h"

namespace proa::network {

// The name of our file in the runtime's folder of CNI configurations.
constexpr std::string_view kOwnConfig = "10-proa.conflist";

// What is no regular file is not waited for. kBadRequest: it is none, or longer than `limit` bytes.
Result<std::string> read_regular(Files& files, const std::string& folder, const std::string& name,
                                 size_t limit);

// What others have put into the folder.
struct ForeignConfigs {
  // The first one, by name: then the network is the user's. Empty: there is none.
  std::string first = {};
  // Files with a configuration's name that have none in them. The runtime may stumble over them.
  std::vector<std::string> broken = {};
};
Result<ForeignConfigs> foreign_configs(Files& files, const std::string& folder);

// Writes ours unless it is there already; returns whether the file changed. Whether the kernel has
// IPv6 is looked up.
Result<bool> write_config(Files& files, const std::string& folder, const CniSetup& setup);

// Fails, and says what to install, if the folder has not all plugins that the configuration needs.
Result<void> check_plugins(Files& files, const std::string& folder);
// A missing one is fine.
Result<void> remove_config(Files& files, const std::string& folder);

}  // namespace proa::network
