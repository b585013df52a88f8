#include "policy/apply/forbidden_flows.h"

#include "netlink/route/routing.h"

namespace proa::policy {
namespace forbidden_flows {

bool concerns(const std::set<IpAddress>& ends, bool v6) {
  for (const IpAddress& end : ends) {
    if (end.is_v4() != v6) return true;
  }
  return false;
}

}  // namespace forbidden_flows

std::set<IpAddress> ends_of(const ModelChange& change) {
  std::set<IpAddress> ends = change.pods;
  for (const auto& [id, elements] : change.sets.elements) {
    for (const SetElement& element : elements.removed) ends.insert(element.address);
  }
  return ends;
}

Result<size_t> ForbiddenFlows::cut(const PolicyModel& model,
                                   const std::optional<std::set<IpAddress>>& ends) {
  size_t removed = 0;
  std::optional<std::set<IpAddress>> own;
  for (const bool v6 : {false, true}) {
    if (ends && !forbidden_flows::concerns(*ends, v6)) continue;
    if (!own) {
      own.emplace();
      netlink::Routing routing = TRY(netlink::Routing::open(clock_));
      const std::vector<netlink::LinkAddress> addresses = TRY(routing.addresses());
      for (const netlink::LinkAddress& one : addresses) own->insert(one.address);
    }
    const Result<size_t> done = cut_family(model, v6, ends, *own);
    // A socket whose answers were lost is opened anew.
    if (!done.ok()) conntrack_.reset();
    removed += TRY(done);
  }
  return removed;
}

Result<size_t> ForbiddenFlows::cut_family(const PolicyModel& model, bool v6,
                                          const std::optional<std::set<IpAddress>>& ends,
                                          const std::set<IpAddress>& own) {
  if (!conntrack_) conntrack_.emplace(TRY(netlink::Conntrack::open(clock_)));
  return conntrack_->remove(v6, {}, [&](const netlink::Flow& flow) {
    // As the rules see it: after DNAT, before SNAT.
    const Connection connection{.source = flow.original.source,
                                .destination = flow.reply.source,
                                .protocol = flow.protocol,
                                .port = flow.reply.source_port};
    if (ends && !ends->contains(connection.source) && !ends->contains(connection.destination)) {
      return false;
    }
    // The node itself reaches its pods.
    return !own.contains(connection.source) && !model.allows(connection);
  });
}

}  // namespace proa::policy
