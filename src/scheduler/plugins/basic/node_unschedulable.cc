#include "scheduler/plugins/basic/node_unschedulable.h"

#include "scheduler/plugins/basic/untolerated.h"

namespace proa::scheduler {
namespace node_unschedulable {

// What the node controller puts on closed nodes. Who tolerates it may run there, whether it is
// there already or not.
const kinds::pods::Taint& closed_taint() {
  static const kinds::pods::Taint kTaint{.key = "node.kubernetes.io/unschedulable",
                                         .effect = std::string(kinds::pods::kNoSchedule)};
  return kTaint;
}

bool tolerates_closed(const Pod& pod) {
  return is_tolerated(closed_taint(), pod.shape->tolerations);
}

class Filter final : public NodeFilter {
 public:
  explicit Filter(Verdict rejection) : rejection_(rejection) {}

  Verdict check(NodeIndex /*index*/, const Node& node) override {
    return node.facts().unschedulable ? rejection_ : Verdict();
  }
  std::string suggestion(NodeIndex /*index*/, const Node& node) override {
    return "kubectl uncordon " + node.name().str();
  }

 private:
  const Verdict rejection_;
};

class NodeUnschedulable final : public FilterPlugin {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kNode, action::kAdd | action::kUpdateNodeTaint},
            {EventResource::kUnscheduledPod, action::kUpdatePodToleration}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    if (event.resource == EventResource::kUnscheduledPod) {
      return event.new_pod != nullptr && event.new_pod->uid() == pod.uid() &&
             tolerates_closed(*event.new_pod);
    }
    if (event.new_node == nullptr || event.new_node->unschedulable) return false;
    return event.old_node == nullptr || event.old_node->unschedulable;
  }

  PreFiltered pre_filter(const Pod& pod) override {
    PreFiltered result;
    if (!tolerates_closed(pod)) result.filter = std::make_unique<Filter>(rejection_);
    return result;
  }

 private:
  ReasonBook reasons_;
  const Verdict rejection_ = reasons_.say(Code::kUnresolvable, "node(s) were unschedulable");
};

}  // namespace node_unschedulable

Result<std::unique_ptr<Plugin>> make_node_unschedulable(const PluginContext& /*context*/,
                                                        api::View /*args*/) {
  return std::make_unique<node_unschedulable::NodeUnschedulable>();
}

}  // namespace proa::scheduler
