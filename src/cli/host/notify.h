#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// Tells the service manager how we are ("READY=1", "STOPPING=1"), by a datagram to $NOTIFY_SOCKET
// as sd_notify(3) describes it. Does nothing where that variable is not set.
Result<void> notify_service_manager(const Environment& environment, std::string_view state);

}  // namespace proa::cli
