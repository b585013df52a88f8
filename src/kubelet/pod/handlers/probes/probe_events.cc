#include "kubelet/pod/handlers/probes/probe_events.h"

#include "kubelet/model/reference.h"
#include "kubelet/pod/handlers/probes/probe_state.h"

namespace proa::kubelet {
void tell_of_probe(client::EventRecorder& events, const Pod& pod, const ContainerSpec& container,
                   ProbeKind kind, const ProbeOutcome& outcome) {
  const std::string name(probe_name(kind));
  const auto about = [&] { return reference_to(pod, container); };
  if (!outcome.error.empty()) {
    const bool is_failure = outcome.kind == ProbeOutcome::Kind::kFailure;
    events.warning(about(), "Unhealthy",
                   name + " probe errored and resulted in " + (is_failure ? "failure" : "unknown") +
                       " state: " + outcome.error);
  } else if (outcome.kind == ProbeOutcome::Kind::kWarning) {
    events.warning(about(), "ProbeWarning", name + " probe warning: " + outcome.output);
  } else if (outcome.kind == ProbeOutcome::Kind::kFailure) {
    events.warning(about(), "Unhealthy", name + " probe failed: " + outcome.output);
  }
}

std::optional<bool> verdict_of(const ProbeOutcome& outcome) {
  if (!outcome.error.empty()) return std::nullopt;
  return outcome.kind == ProbeOutcome::Kind::kSuccess ||
         outcome.kind == ProbeOutcome::Kind::kWarning;
}

}  // namespace proa::kubelet
