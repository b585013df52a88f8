#pragma once

#include <cstdint>
#include <variant>

#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime_pod.h"

namespace proa::kubelet {

// The runtime has neither sandboxes nor containers of the pod.
struct NothingInRuntime {};

// It has something, but no sandbox that containers can be started in: it exited, it has no
// address, there are several, or only containers are left. All of it has to stop first.
struct UnusableSandbox {
  uint32_t next_attempt = 0;  // of the sandbox that replaces it
};

// A sandbox without containers of its own: containers of earlier sandboxes may exist.
struct EmptySandbox {
  const cri::Sandbox* sandbox = nullptr;  // never null; into the RuntimePod
};

// A sandbox with containers, in whatever state.
struct PopulatedSandbox {
  const cri::Sandbox* sandbox = nullptr;  // never null; into the RuntimePod
};

// What the runtime has of a pod.
using RuntimeState =
    std::variant<NothingInRuntime, UnusableSandbox, EmptySandbox, PopulatedSandbox>;

// Pure.
RuntimeState classify_runtime(const Pod& pod, const cri::RuntimePod& running);

// The sandbox that containers can be started in; null if there is none.
const cri::Sandbox* usable_sandbox(const RuntimeState& state);

}  // namespace proa::kubelet
