#pragma once

#include <cstdint>

namespace proa::proxy {

// How the kernel is to track connections: upstream's defaults (conntrack.SetSysctls).
struct Tracking {
  int64_t most = 0;             // connections at once
  int64_t buckets = 0;          // of the table in which they are found
  int64_t established = 86400;  // seconds that an idle connection is kept; Linux: five days
  int64_t close_wait = 3600;    // seconds after one end closed; Linux: one minute

  bool operator==(const Tracking&) const = default;
};
Tracking wanted_tracking(int processors);

// Writes what differs. Room for connections is only made larger, and only where that is permitted:
// in the first network namespace. Without connection tracking nothing is done.
void prepare_tracking(const Tracking& wanted);

}  // namespace proa::proxy
