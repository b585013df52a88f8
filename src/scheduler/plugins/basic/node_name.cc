#include "scheduler/plugins/basic/node_name.h"

namespace proa::scheduler {
namespace node_name {

class Filter final : public NodeFilter {
 public:
  Filter(api::NodeName wanted, Verdict rejection)
      : wanted_(std::move(wanted)), rejection_(rejection) {}

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    return node.name() == wanted_ ? Verdict() : rejection_;
  }
  std::string suggestion(NodeIndex /*index*/, const Node& /*node*/) override {
    return "spec.nodeName requires node " + wanted_.str();
  }
  // spec.nodeName is not part of the shape.
  bool is_current(const Pod& pod) const override { return pod.node == wanted_; }

 private:
  const api::NodeName wanted_;
  const Verdict rejection_;
};

class NodeName final : public FilterPlugin {
 public:
  std::string_view name() const override { return "NodeName"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kNode, action::kAdd}};
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    if (!pod.node.empty()) result.filter = std::make_unique<Filter>(pod.node, rejection_);
    return result;
  }

 private:
  ReasonBook reasons_;
  const Verdict rejection_ =
      reasons_.say(Code::kUnresolvable, "node(s) didn't match the requested node name");
};

}  // namespace node_name

Result<std::unique_ptr<Plugin>> make_node_name(const PluginContext& /*context*/,
                                               api::View /*args*/) {
  return std::make_unique<node_name::NodeName>();
}

}  // namespace proa::scheduler
