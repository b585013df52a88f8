#include "scheduler/plugins/basic/scheduling_gates.h"

namespace proa::scheduler {
namespace scheduling_gates {

// "[a b]", as Go prints a list of texts.
std::string gates_of(const api::Object& object) {
  std::string gates = "[";
  const Result<objects::Pod> pod = api::decode<objects::Pod>(object);
  if (!pod) return gates + "]";
  for (const objects::SchedulingGate& gate : pod->spec.gates) {
    if (gates.size() > 1) gates.push_back(' ');
    gates.append(gate.name);
  }
  return gates + "]";
}

class SchedulingGates final : public PreEnqueuePlugin {
 public:
  std::string_view name() const override { return "SchedulingGates"; }

  std::vector<EventInterest> events() const override {
    return {{EventResource::kUnscheduledPod, action::kUpdatePodGatesGone}};
  }
  bool may_help(const Pod& pod, const ClusterEvent& event) const override {
    return event.new_pod != nullptr && event.new_pod->uid() == pod.uid();
  }

  Verdict pre_enqueue(const Pod& pod) override {
    if (!pod.gated) return {};
    return reasons_.say(Code::kUnresolvable,
                        "waiting for scheduling gates: " + gates_of(*pod.object));
  }

 private:
  ReasonBook reasons_;
};

}  // namespace scheduling_gates

Result<std::unique_ptr<Plugin>> make_scheduling_gates(const PluginContext& /*context*/,
                                                      api::View /*args*/) {
  return std::make_unique<scheduling_gates::SchedulingGates>();
}

}  // namespace proa::scheduler
