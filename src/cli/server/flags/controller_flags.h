#pragma once

#include <string>
#include <vector>

#include "base/net/ip_address.h"
#include "cli/command_line/command.h"
#include "controllers/framework/controller_set.h"

namespace proa::cli {

// Flags of controllers, with upstream's names.
std::vector<Flag> controller_flags();

// The range of all pods: --cluster-cidr or its default. Empty: none.
// REQUIRES: the command has --service-cluster-ip-range, too.
std::string cluster_cidr_of(const Settings& settings);
// What nodes may choose their pods' addresses from: the same, and what the server's own node has.
// Empty: anything.
std::vector<IpPrefix> pod_ranges_of(const Settings& settings, bool with_node);
// Whether controllers of this server give nodes their parts of it.
bool gives_pod_ranges(const Settings& settings);

// Reads the flags into `options`; other options are unchanged. Errors name the flag.
Result<void> read_controller_options(const Settings& settings,
                                     controllers::ControllerOptions& options);

// Selects controllers: "*,-job", "none", "job,cronjob". kInvalid for unknown names.
Result<std::vector<controllers::ControllerEntry>> choose_controllers(
    std::span<const controllers::ControllerEntry> all, std::string_view wanted);

}  // namespace proa::cli
