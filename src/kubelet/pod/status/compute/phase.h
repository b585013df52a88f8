#pragma once

#include <set>
#include <string>

#include "kubelet/model/pod.h"

namespace proa::kubelet {

struct PhaseInputs {
  const Pod& pod;
  api::View status;          // with all container statuses
  bool initialized = false;  // some regular container is in the current sandbox
  bool stopped = false;      // nothing is restarted, regardless of policies
  // Containers that restart however they exited; null: none.
  const std::set<std::string, std::less<>>* restart_after_stop = nullptr;
};

// "Pending", "Running", "Succeeded" or "Failed", from the container statuses.
std::string_view phase_by_containers(const PhaseInputs& inputs);

}  // namespace proa::kubelet
