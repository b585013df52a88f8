#pragma once

#include "api/object/edit.h"
#include "kubelet/pod/status/compute/status_inputs.h"

// States of containers: {waiting | running | terminated}.

namespace proa::kubelet {

inline constexpr std::string_view kStatusUnknown = "ContainerStatusUnknown";
inline constexpr int kUnknownExitCode = 137;  // upstream's, for exits that were not observed

void set_waiting(api::Edit state, std::string_view reason, std::string_view message);
// An exit that the runtime did not report.
void set_terminated(api::Edit state, std::string_view reason, std::string_view message,
                    int exit_code);

// "containerd://..."
std::string container_id(const StatusInputs& inputs, const cri::Container& container);

// Writes the state that the runtime reports. `old`: the previous status of that container; its
// messages are reused, so that files are read once. Leaves `state` empty if the runtime does not
// know.
void set_runtime_state(const StatusInputs& inputs, const cri::Container& container, api::View old,
                       api::Edit state);

}  // namespace proa::kubelet
