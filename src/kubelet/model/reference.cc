#include "kubelet/model/reference.h"

#include <fmt/format.h>

namespace proa::kubelet {

// As upstream's kubelet: the name stands for the UID, which is not known before the Node exists.
// `kubectl describe node` asks for both.
client::ObjectReference reference_to_node(api::NodeNameView name) {
  return {.api_version = "v1",
          .kind = "Node",
          .name_space = {},
          .name = name.str(),
          .uid = name.str(),
          .resource_version = {},
          .field_path = {}};
}

client::ObjectReference reference_to(const Pod& pod) {
  return {.api_version = "v1",
          .kind = "Pod",
          .name_space = std::string(pod.name_space()),
          .name = std::string(pod.name()),
          .uid = pod.uid().str(),
          .resource_version = std::string(pod.object()->metadata().resource_version),
          .field_path = {}};
}

client::ObjectReference reference_to(const Pod& pod, const ContainerSpec& container) {
  client::ObjectReference reference = reference_to(pod);
  std::string_view list = "containers";
  if (container.kind == ContainerKind::kEphemeral) list = "ephemeralContainers";
  if (container.kind == ContainerKind::kInit || container.kind == ContainerKind::kSidecar) {
    list = "initContainers";
  }
  reference.field_path = fmt::format("spec.{}{{{}}}", list, container.name());
  return reference;
}

std::string pod_text(const Pod& pod) {
  return fmt::format("{}({})", pod.full_name(), pod.uid().view());
}

}  // namespace proa::kubelet
