#pragma once

#include <optional>
#include <set>

#include "base/clock.h"
#include "netlink/conntrack/conntrack.h"
#include "policy/model/policy_model.h"

namespace proa::policy {

// Connections that the kernel tracks and that policies forbid now: packets of known connections are
// not judged again, so it has to forget them. For one thread at a time.
class ForbiddenFlows {
 public:
  // REQUIRES: `clock` outlives it.
  explicit ForbiddenFlows(Clock& clock) : clock_(clock) {}

  // Forgets those from or to one of `ends` that the model does not allow; nullopt: of all. Returns
  // how many.
  Result<size_t> cut(const PolicyModel& model, const std::optional<std::set<IpAddress>>& ends);

 private:
  Result<size_t> cut_family(const PolicyModel& model, bool v6,
                            const std::optional<std::set<IpAddress>>& ends,
                            const std::set<IpAddress>& own);

  Clock& clock_;
  std::optional<netlink::Conntrack> conntrack_;
};

// Whose connections a change may forbid: pods whose policies changed, and addresses that sets no
// longer have.
std::set<IpAddress> ends_of(const ModelChange& change);

}  // namespace proa::policy
