#include "netlink/conntrack/conntrack.h"

#include <netinet/in.h>

#include <cerrno>

namespace proa::netlink {
namespace conntrack {

// A machine may track a million flows.
constexpr Duration kPatience = std::chrono::seconds(30);
constexpr size_t kAtOnce = 1000;

bool has_ports(uint8_t protocol) {
  return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP || protocol == IPPROTO_SCTP ||
         protocol == IPPROTO_UDPLITE || protocol == IPPROTO_DCCP;
}

}  // namespace conntrack

Result<Conntrack> Conntrack::open(Clock& clock) {
  return Conntrack(TRY(Socket::open(NETLINK_NETFILTER, clock)), clock);
}

Result<std::vector<Flow>> Conntrack::flows(bool v6, const FlowFilter& filter) {
  std::vector<Flow> found;
  Batch batch;
  ask_for_flows(batch, v6, filter);
  // Flows come and go all the time; a list that misses one of those is good enough.
  TRY(socket_.dump(batch, Until::after(*clock_, conntrack::kPatience),
                   [&](const Message& message) -> Result<void> {
                     auto flow = read_flow(message);
                     if (flow && conntrack::has_ports(flow->protocol) && filter.matches(*flow)) {
                       found.push_back(*flow);
                     }
                     return {};
                   }));
  return found;
}

Result<size_t> Conntrack::remove(bool v6, const FlowFilter& filter,
                                 const std::function<bool(const Flow&)>& also) {
  std::vector<Flow> found = TRY(flows(v6, filter));
  if (also) std::erase_if(found, [&](const Flow& flow) { return !also(flow); });
  size_t removed = 0;
  for (size_t begin = 0; begin < found.size(); begin += conntrack::kAtOnce) {
    const size_t end = std::min(begin + conntrack::kAtOnce, found.size());
    Batch batch;
    for (size_t i = begin; i < end; ++i) remove_flow(batch, found[i]);
    std::vector<Refusal> refusals;
    const auto done =
        socket_.request(batch, Until::after(*clock_, conntrack::kPatience), {}, &refusals);
    if (!done.ok() && refusals.empty()) return done.status();
    for (const Refusal& refusal : refusals) {
      // Ended by itself meanwhile.
      if (refusal.error != ENOENT) {
        return refusal_status("removing a flow", refusal.error, refusal.text);
      }
    }
    removed += end - begin - refusals.size();
  }
  return removed;
}

}  // namespace proa::netlink
