#include "proxy/objects/node_state.h"

#include <algorithm>
#include <tuple>

#include "base/log.h"
#include "proxy/objects/objects.h"

namespace proa::proxy {
namespace node_state {

const Log kLog{"proxy"};
constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";

}  // namespace node_state

NodeState read_node(const api::Object& node) {
  NodeState state;
  if (const std::string_view* zone = node.metadata().label(node_state::kZoneLabel)) {
    state.zone = *zone;
  }
  state.eligible = !node.metadata().being_deleted;
  const auto decoded = api::decode<objects::Node>(node);
  if (!decoded) {
    node_state::kLog.warn("reading the Node failed", {{"error", decoded.status()}});
    return state;
  }
  for (const std::string_view type : {"InternalIP", "ExternalIP"}) {
    for (const kinds::NodeAddress& address : decoded->status.addresses) {
      if (address.type != type) continue;
      if (const auto parsed = parse_ip(address.address)) state.addresses.push_back(*parsed);
    }
  }
  for (const std::string_view text : decoded->spec.pod_ranges) {
    if (const auto range = parse_prefix(text)) state.pod_ranges.push_back(*range);
  }
  const auto& taints = decoded->spec.taints;
  if (std::any_of(taints.begin(), taints.end(), [](const kinds::NodeTaint& taint) {
        return taint.key == kinds::kToBeDeletedTaint;
      })) {
    state.eligible = false;
  }
  return state;
}

std::vector<IpPrefix> read_service_ranges(std::span<const api::ObjectPtr> service_cidrs) {
  std::vector<IpPrefix> ranges;
  for (const api::ObjectPtr& object : service_cidrs) {
    const auto decoded = api::decode<objects::ServiceCidr>(*object);
    if (!decoded) continue;
    for (const std::string_view text : decoded->spec.ranges) {
      if (const auto range = parse_prefix(text)) ranges.push_back(*range);
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](const IpPrefix& a, const IpPrefix& b) {
    return std::tie(a.address, a.bits) < std::tie(b.address, b.bits);
  });
  ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
  return ranges;
}

}  // namespace proa::proxy
