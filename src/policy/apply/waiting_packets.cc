#include "policy/apply/waiting_packets.h"

#include "netlink/route/routing.h"
#include "netlink/route/write.h"

namespace proa::policy {

Result<void> drop_waiting_packets(const std::string& bridge,
                                  const std::vector<IpAddress>& addresses, Clock& clock) {
  netlink::Routing routing = TRY(netlink::Routing::open(clock));
  const auto link = routing.link(bridge);
  if (link.is(Reason::kNotFound)) return {};
  const int index = TRY(link).index;
  for (const IpAddress& address : addresses) {
    netlink::Batch batch;
    netlink::remove_neighbour(batch, {.link = index, .address = address});
    auto removed = routing.apply(batch);
    // Mostly nobody has asked for the address.
    if (!removed.ok() && !removed.is(Reason::kNotFound)) return removed;
  }
  return {};
}

}  // namespace proa::policy
