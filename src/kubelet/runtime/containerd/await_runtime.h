#pragma once

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Waits until a runtime that was just started answers: it accepts connections before it has loaded
// its state. Returns its last failure if `until` is over first.
Result<void> await_runtime(cri::Runtime& runtime, Clock& clock, const Until& until);

// Sleeps. For callers that have no event to wait for.
void pause_for(Clock& clock, Duration time);

}  // namespace proa::kubelet
