#pragma once

#include <string>
#include <vector>

#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet::cri {

// All sandboxes and containers of one pod, with their full status.
struct RuntimePod {
  std::vector<Sandbox> sandboxes = {};     // the newest first
  std::vector<Container> containers = {};  // the newest first

  bool empty() const { return sandboxes.empty() && containers.empty(); }
  // The newest sandbox, if it is ready; else null.
  const Sandbox* ready_sandbox() const;
  // The newest container of that name; null if there is none.
  const Container* newest(std::string_view name) const;
  // The newest of that name that exited before the newest one: the "previous" of kubectl logs.
  const Container* previous(std::string_view name) const;
  bool any_running() const;
};

// Query the runtime for all of it or a part.
Result<std::vector<Sandbox>> inspect_sandboxes(Runtime& runtime, api::UidView pod_uid,
                                               const Until& until);
Result<std::vector<Container>> inspect_containers(Runtime& runtime, api::UidView pod_uid,
                                                  const Until& until);
Result<RuntimePod> inspect_pod(Runtime& runtime, api::UidView pod_uid, const Until& until);

}  // namespace proa::kubelet::cri
