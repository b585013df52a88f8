#pragma once

#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace proa::cli {

// Makes the folder in which Proa's containerd looks for CNI configurations: its own one, or, if the
// network is foreign, a link to /etc/cni/net.d, where networks that users install have theirs.
// Nullopt: it stays as it is. Returns the folder of plugins. An error says what to install.
Result<std::string> prepare_cni_folder(Files& files, const std::string& folder,
                                       std::optional<bool> foreign,
                                       const std::string& system_root = "");

}  // namespace proa::cli
