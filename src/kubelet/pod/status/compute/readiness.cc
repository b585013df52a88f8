#include "kubelet/pod/status/compute/readiness.h"

#include "kubelet/model/status_fields.h"
#include "kubelet/pod/status/compute/conditions.h"

namespace proa::kubelet {
namespace readiness {

using api::Edit;
using api::View;

// After a quick restart of the kubelet, containers that started just before it count as new.
constexpr Duration kRestartGrace = std::chrono::seconds(10);

// "containerd://abc" -> "abc", as probe results have it.
std::string bare_id(View status) {
  const std::string_view id = status["containerID"].text();
  const size_t scheme = id.find("://");
  return std::string(scheme == std::string_view::npos ? id : id.substr(scheme + 3));
}

bool is_started(const StatusInputs& inputs, const ContainerSpec& spec, View status) {
  if (!status["state"]["running"]) return false;
  const auto found = inputs.probes.get(bare_id(status), ProbeKind::kStartup);
  if (found) return *found;
  return status["started"].flag() || !spec.view["startupProbe"];
}

// A restarted kubelet keeps ready containers ready until their first probe result.
bool was_ready_before(const StatusInputs& inputs, View status) {
  const Result<Time> began = parse_time(status["state"]["running"]["startedAt"].text());
  if (inputs.kubelet_started == Time{} || !began) return false;
  if (*began >= inputs.kubelet_started - kRestartGrace) return false;
  return find_condition(inputs.pod.status(), "Ready")["status"].text() == "True";
}

bool is_ready(const StatusInputs& inputs, const ContainerSpec& spec, View status) {
  if (!status["state"]["running"]) return false;
  if (!spec.view["readinessProbe"]) return true;
  const auto found = inputs.probes.get(bare_id(status), ProbeKind::kReadiness);
  return found ? *found : was_ready_before(inputs, status);
}

void write_one(const StatusInputs& inputs, const ContainerSpec& spec, Edit status) {
  const bool started = is_started(inputs, spec, status.view());
  status.set("started", started);
  if (spec.kind == ContainerKind::kInit) {
    const View ended = status["state"]["terminated"];
    if (ended && ended["exitCode"].integer() == 0) status.set("ready", true);
  } else if (started) {
    status.set("ready", is_ready(inputs, spec, status.view()));
  }
}

}  // namespace readiness

void write_readiness(const StatusInputs& inputs, api::Edit status) {
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
    if (!status.has(list)) continue;
    const api::Edit statuses = status.existing(list);
    for (size_t index = 0; index < statuses.size(); ++index) {
      const api::Edit container = statuses.item(index);
      const auto spec = find_container(inputs.pod, container["name"].text());
      if (spec) readiness::write_one(inputs, *spec, container);
    }
  }
}

}  // namespace proa::kubelet
