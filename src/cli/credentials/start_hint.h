#pragma once

#include <string>
#include <string_view>

#include "base/files.h"

namespace proa::cli {

// How to start what a data directory belongs to: "`proa up`", "`proa server`" or "`proa node`", by
// what it contains; "`proa up` or `proa server`" if that does not tell.
std::string start_hint(Files& files, const std::string& data_dir);
// The same for its container runtime, which `proa server` has none of.
std::string runtime_start_hint(Files& files, const std::string& data_dir);

// The data directory of root, unless another one is given.
inline constexpr std::string_view kRootDataDir = "/var/lib/proa";

// kNotFound, with advice, for a data directory without a server's admin.kubeconfig. `root_data_dir`
// is empty for root itself: other users have another default, and may look for root's cluster.
Status no_admin_kubeconfig(Files& files, const std::string& data_dir,
                           const std::string& root_data_dir);
// For this process' user.
Status no_admin_kubeconfig(Files& files, const std::string& data_dir);

}  // namespace proa::cli
