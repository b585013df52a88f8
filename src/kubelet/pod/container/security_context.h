#pragma once

#include "api/object/edit.h"
#include "kubelet/host/machine_facts.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

struct SecurityInputs {
  const Pod& pod;
  api::View container = {};
  const cri::Image& image;
  const MachineFacts& machine;
  const std::string& root;       // the kubelet's folder
  const std::string& target_id;  // empty: it has its own PID namespace
};

// Fills in a LinuxContainerSecurityContext.
Result<void> write_container_security(const api::Edit& edit, const SecurityInputs& inputs);
// Fills in a LinuxSandboxSecurityContext.
Result<void> write_sandbox_security(const api::Edit& edit, const Pod& pod);

// Checks runAsNonRoot against the user of the container, else of its image. Failures have
// upstream's words.
Result<void> check_non_root(const Pod& pod, api::View container, const cri::Image& image);

}  // namespace proa::kubelet
