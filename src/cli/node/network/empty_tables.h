#pragma once

#include <string>

#include "base/clock.h"
#include "base/files.h"
#include "base/result.h"

// iptables(8) makes tables of nf_tables with chains that stay when their rules go. CNI's portmap
// plugin and the proxy's mode iptables call it; what they made goes with the node.

namespace proa::cli {

// Records which of these tables exist before there is a node, unless that is recorded already.
// `record`: a file that does not outlive a reboot, as tables do not.
Result<void> record_tables(Files& files, Clock& clock, const std::string& record);

// Removes those that were not there, if they are empty. Nothing without a record.
Result<void> remove_empty_tables(Files& files, Clock& clock, const std::string& record);

}  // namespace proa::cli
