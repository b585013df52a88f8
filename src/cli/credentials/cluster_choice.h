#pragma once

#include <memory>
#include <string>

#include "cli/command_line/command.h"
#include "cli/credentials/admin_client.h"

namespace proa::cli {

// The cluster that a command with the flags --kubeconfig and --data-dir is about: that of
// --kubeconfig; that of --data-dir; that of $KUBECONFIG, of several files the first that exists;
// that of the default data directory. `timeout`: of requests to a cluster that may be remote.
Result<std::unique_ptr<AdminClient>> open_cluster(const Settings& settings, Duration timeout);

// The file of a KUBECONFIG; empty if it is not set (null) or names none. If no file of several
// exists, the first.
std::string kubeconfig_of_environment(Files& files, const char* value);

}  // namespace proa::cli
