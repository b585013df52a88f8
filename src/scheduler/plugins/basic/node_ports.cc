#include "scheduler/plugins/basic/node_ports.h"

#include <algorithm>

namespace proa::scheduler {
namespace node_ports {

constexpr std::string_view kAllAddresses = "0.0.0.0";

bool conflict(const HostPort& a, const HostPort& b) {
  return a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || a.ip == kAllAddresses || b.ip == kAllAddresses);
}

// The first of those wanted that is taken; null when all are free.
const HostPort* first_taken(std::span<const HostPort> wanted, std::span<const HostPort> used) {
  for (const HostPort& port : wanted) {
    const bool taken = std::any_of(used.begin(), used.end(),
                                   [&](const HostPort& other) { return conflict(port, other); });
    if (taken) return &port;
  }
  return nullptr;
}

class Filter final : public NodeFilter {
 public:
  Filter(ShapePtr shape, Verdict rejection) : shape_(std::move(shape)), rejection_(rejection) {}

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    return first_taken(shape_->host_ports, node.used_ports()) == nullptr ? Verdict() : rejection_;
  }
  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    const HostPort* taken = first_taken(shape_->host_ports, node.used_ports());
    if (taken == nullptr) return {};
    const std::string address = taken->ip == kAllAddresses ? "" : taken->ip + ":";
    return "free host port " + address + std::to_string(taken->port) + "/" + taken->protocol;
  }

 private:
  const ShapePtr shape_;
  const Verdict rejection_;
};

class NodePorts final : public FilterPlugin {
 public:
  std::string_view name() const override { return "NodePorts"; }

  std::vector<EventInterest> events() const override {
    // A waiting pod with a nominated node holds its ports, too.
    return {{EventResource::kAssignedPod, action::kDelete},
            {EventResource::kUnscheduledPod, action::kDelete},
            {EventResource::kNode, action::kAdd}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.resource == EventResource::kNode) return true;
    const Pod* gone = event.old_pod;
    if (gone == nullptr || (gone->node.empty() && gone->nominated_node.empty())) return false;
    return first_taken(pod.shape->host_ports, gone->shape->host_ports) != nullptr;
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    if (!pod.shape->host_ports.empty()) {
      result.filter = std::make_unique<Filter>(pod.shape, rejection_);
    }
    return result;
  }

 private:
  ReasonBook reasons_;
  const Verdict rejection_ = reasons_.say(
      Code::kUnschedulable, "node(s) didn't have free ports for the requested pod ports");
};

}  // namespace node_ports

Result<std::unique_ptr<Plugin>> make_node_ports(const PluginContext& /*context*/,
                                                api::View /*args*/) {
  return std::make_unique<node_ports::NodePorts>();
}

}  // namespace proa::scheduler
