#include "proxy/flows/kernel_flows.h"

#include <netinet/in.h>

namespace proa::proxy {

Result<size_t> KernelFlows::remove(Family family, const StaleFlows& stale) {
  if (!flows_) flows_.emplace(TRY(netlink::Conntrack::open(clock_)));
  Result<size_t> removed = flows_->remove(
      family == Family::kV6, {.protocol = IPPROTO_UDP}, [&stale](const netlink::Flow& flow) {
        return stale.contains({.destination = flow.original.destination,
                               .destination_port = flow.original.destination_port,
                               .answerer = flow.reply.source,
                               .answerer_port = flow.reply.source_port});
      });
  // A socket whose answers were lost is opened anew.
  if (!removed.ok()) flows_.reset();
  return removed;
}

}  // namespace proa::proxy
