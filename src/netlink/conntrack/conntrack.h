#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "netlink/conntrack/flow.h"
#include "netlink/socket.h"

namespace proa::netlink {

// The flows that the kernel tracks in one network namespace: that of the thread which opens it.
// Used by one thread at a time. Flows of protocols without ports are left out.
class Conntrack {
 public:
  // REQUIRES: `clock` outlives it.
  static Result<Conntrack> open(Clock& clock);

  Result<std::vector<Flow>> flows(bool v6, const FlowFilter& filter = {});
  // Forgets flows: the next packet of each is looked at anew. Returns how many. `also`: a further
  // condition; null: none.
  Result<size_t> remove(bool v6, const FlowFilter& filter,
                        const std::function<bool(const Flow&)>& also = {});

 private:
  Conntrack(Socket socket, Clock& clock) : socket_(std::move(socket)), clock_(&clock) {}

  Socket socket_;
  Clock* clock_;
};

}  // namespace proa::netlink
