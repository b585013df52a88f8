#pragma once

#include <functional>
#include <optional>

#include "base/clock.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::cli {

// Stops the running containers of a runtime as a kubelet does: first the preStop handler, then the
// stop signal, and SIGKILL when the grace period is over. For the time when no kubelet runs: specs
// are read from the annotations that the kubelet gave the containers. No pod gets more than
// `most_grace`. `chosen`: by the labels of a container.
Result<void> stop_containers(kubelet::cri::Runtime& runtime, Clock& clock,
                             std::optional<Duration> most_grace,
                             const std::function<bool(const kubelet::cri::Labels& labels)>& chosen);

// The longest grace period of running containers.
Result<Duration> longest_grace(kubelet::cri::Runtime& runtime, Clock& clock);

}  // namespace proa::cli
