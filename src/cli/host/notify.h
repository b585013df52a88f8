#pragma once

#include <string_view>

#include "base/result.h"
#include "cli/command_line/settings.h"

namespace proa::cli {

// Notifies the service manager of a state ("READY=1", "STOPPING=1") with a datagram to
// $NOTIFY_SOCKET, see sd_notify(3). Does nothing if that variable is not set.
Result<void> notify_service_manager(const Environment& environment, std::string_view state);

// The same with the environment of this process; logs a failure.
void notify_own_service_manager(std::string_view state);

}  // namespace proa::cli
