#pragma once

#include "base/clock.h"
#include "base/threads/deadline.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Until a runtime that was just started answers: it takes connections a moment before it has read
// what it left the last time. Its last failure when `until` came first.
Result<void> await_runtime(cri::Runtime& runtime, Clock& clock, const Until& until);

// Waits, for those few who have no event to wait for.
void pause_for(Clock& clock, Duration time);

}  // namespace proa::kubelet
