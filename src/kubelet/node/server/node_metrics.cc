#include "kubelet/node/server/node_metrics.h"

#include <algorithm>
#include <array>

#include "base/metrics/metrics.h"

namespace proa::kubelet {
namespace node_metrics_text {

constexpr MetricFamily kNodeName{
    "kubelet_node_name", "Always 1; the label is the node's name.", MetricKind::kGauge, {"node"}};
constexpr MetricFamily kRunningPods{"kubelet_running_pods", "Pods whose sandbox is ready.",
                                    MetricKind::kGauge};
constexpr MetricFamily kContainers{"kubelet_running_containers",
                                   "Containers that the runtime knows, by state.",
                                   MetricKind::kGauge,
                                   {"container_state"}};
constexpr MetricFamily kDesiredPods{
    "kubelet_desired_pods", "Pods that the node is told to run.", MetricKind::kGauge, {"static"}};

struct StateName {
  cri::ContainerState state;
  std::string_view name;
};
constexpr std::array<StateName, 4> kStates{{{cri::ContainerState::kCreated, "created"},
                                            {cri::ContainerState::kRunning, "running"},
                                            {cri::ContainerState::kExited, "exited"},
                                            {cri::ContainerState::kUnknown, "unknown"}}};

void add(MetricsText& text, std::string_view label, int64_t value) { text.add({&label, 1}, value); }

}  // namespace node_metrics_text

std::string node_metrics(std::string_view node_name, const std::vector<PodPtr>& pods,
                         const std::vector<cri::Sandbox>& sandboxes,
                         const std::vector<cri::Container>& containers) {
  using namespace node_metrics_text;
  MetricsText text;
  text.begin(kNodeName);
  add(text, node_name, 1);
  text.begin(kRunningPods);
  text.add({}, static_cast<int64_t>(std::count_if(
                   sandboxes.begin(), sandboxes.end(), [](const cri::Sandbox& sandbox) {
                     return sandbox.state == cri::SandboxState::kReady;
                   })));
  text.begin(kContainers);
  for (const auto& [state, name] : kStates) {
    const auto found = std::count_if(
        containers.begin(), containers.end(),
        [wanted = state](const cri::Container& container) { return container.state == wanted; });
    if (found > 0) add(text, name, found);
  }
  text.begin(kDesiredPods);
  const auto of_files = std::count_if(pods.begin(), pods.end(), [](const PodPtr& pod) {
    return pod->source() != Pod::Source::kApi;
  });
  add(text, "", static_cast<int64_t>(pods.size()) - of_files);
  add(text, "true", of_files);
  add_process_metrics(text);
  return text.take();
}

}  // namespace proa::kubelet
