#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/result.h"

namespace proa::policy {

// Forgets packets from elsewhere that have passed the rules and wait: for seconds, the kernel keeps
// what is for an address while it asks the link who has it. A pod that gets the address would
// receive what came before its rules did. `bridge`: the link of the pods; one that does not exist
// has none.
Result<void> drop_waiting_packets(const std::string& bridge,
                                  const std::vector<IpAddress>& addresses, Clock& clock);

}  // namespace proa::policy
