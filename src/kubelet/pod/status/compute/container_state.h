#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

// States of containers: {waiting | running | terminated}.

namespace proa::kubelet {

inline constexpr std::string_view kStatusUnknown = "ContainerStatusUnknown";
inline constexpr int kUnknownExitCode = 137;  // upstream's, for ends that nobody saw

void set_waiting(api::Edit state, std::string_view reason, std::string_view message);
// An end that the runtime did not tell.
void set_terminated(api::Edit state, std::string_view reason, std::string_view message,
                    int exit_code);

// "containerd://..."
std::string container_id(const StatusInputs& inputs, const cri::Container& container);

// What the runtime says. `old`: the status that the container of that name had; its messages are
// taken over, so that files are read once. Leaves `state` empty where the runtime does not know.
void set_runtime_state(const StatusInputs& inputs, const cri::Container& container, api::View old,
                       api::Edit state);

}  // namespace proa::kubelet
