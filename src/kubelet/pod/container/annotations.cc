#include "kubelet/pod/container/annotations.h"

#include "json/print.h"
#include "kubelet/pod/container/container_config.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace annotations {

void write_pod(const api::Edit& labels, const Pod& pod) {
  labels.set(cri::kPodName, pod.name());
  labels.set(cri::kPodNamespace, pod.name_space());
  labels.set(cri::kPodUid, pod.uid().view());
}

void write_number(const api::Edit& edit, std::string_view name, api::View number) {
  if (number) edit.set(name, std::string_view(std::to_string(number.integer())));
}

}  // namespace annotations

void write_sandbox_labels(const api::Edit& labels, const Pod& pod) {
  for (const json::Member& label : pod.metadata()["labels"].members())
    labels.set(label.key, api::View(label.value).text());
  annotations::write_pod(labels, pod);
}

void write_container_labels(const api::Edit& labels, const Pod& pod, std::string_view container) {
  annotations::write_pod(labels, pod);
  labels.set(cri::kContainerName, container);
}

void write_container_annotations(const api::Edit& edit, const Pod& pod, api::View container,
                                 int restarts) {
  edit.set(cri::kContainerHash, std::string_view(container_hash(container)));
  edit.set(cri::kRestartCount, std::string_view(std::to_string(restarts)));
  edit.set(cri::kTerminationMessagePath, container["terminationMessagePath"].text());
  edit.set(cri::kTerminationMessagePolicy, container["terminationMessagePolicy"].text());
  annotations::write_number(edit, cri::kPodDeletionGrace,
                            pod.metadata()["deletionGracePeriodSeconds"]);
  annotations::write_number(edit, cri::kPodTerminationGrace,
                            pod.spec()["terminationGracePeriodSeconds"]);
  const api::View hook = container["lifecycle"]["preStop"];
  if (hook) edit.set(cri::kPreStopHandler, std::string_view(json::print(*hook.value())));
  const api::View ports = container["ports"];
  if (!ports.empty()) edit.set(cri::kContainerPorts, std::string_view(json::print(*ports.value())));
}

}  // namespace proa::kubelet
