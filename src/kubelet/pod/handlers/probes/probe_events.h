#pragma once

#include <optional>

#include "client/events/recorder.h"
#include "kubelet/model/pod.h"
#include "kubelet/pod/handlers/probes/probe_action.h"
#include "kubelet/pod/handlers/probes/results.h"

namespace proa::kubelet {

// What a probe found, where people should hear of it.
void tell_of_probe(client::EventRecorder& events, const Pod& pod, const ContainerSpec& container,
                   ProbeKind kind, const ProbeOutcome& outcome);

// Whether it passed; nothing when it could not be carried out.
std::optional<bool> verdict_of(const ProbeOutcome& outcome);

}  // namespace proa::kubelet
