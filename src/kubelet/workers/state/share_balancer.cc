#include "kubelet/workers/state/share_balancer.h"

#include "base/log.h"

namespace proa::kubelet {
namespace share_balancer {

const Log kLog{"kubelet"};

}  // namespace share_balancer

void ShareBalancer::balance() const {
  const Result<void> done = cgroups_.balance([this] { return allocations_.admitted(); });
  if (!done.ok()) {
    share_balancer::kLog.warn("balancing CPU shares failed", {{"error", done.status()}});
  }
}

}  // namespace proa::kubelet
