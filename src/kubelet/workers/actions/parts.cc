#include "kubelet/workers/actions/parts.h"

#include "base/log.h"

namespace proa::kubelet {
namespace parts {

const Log kLog{"kubelet"};

}  // namespace parts

void balance_shares(const Parts& parts) {
  const Result<void> done =
      parts.cgroups.balance([&parts] { return parts.allocations.admitted(); });
  if (!done.ok()) parts::kLog.warn("shares not balanced", {{"error", done.status()}});
}

}  // namespace proa::kubelet
