#pragma once

#include <optional>

#include "client/events/recorder.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/probes/probe_action.h"
#include "kubelet/pod/handlers/probes/results.h"

namespace proa::kubelet {

// Records the Events of a probe result.
void tell_of_probe(client::EventRecorder& events, const Pod& pod, const ContainerSpec& container,
                   ProbeKind kind, const ProbeOutcome& outcome);

// Whether it passed; nullopt if it could not run.
std::optional<bool> verdict_of(const ProbeOutcome& outcome);

}  // namespace proa::kubelet
