#include "kubelet/pod/status/compute/conditions.h"

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/plan/restart_all.h"
#include "kubelet/pod/status/compute/container_state.h"

namespace proa::kubelet {
namespace conditions {

using api::Edit;
using api::View;

constexpr std::array<std::string_view, 8> kOwn = {"PodScheduled",
                                                  "Ready",
                                                  "Initialized",
                                                  "ContainersReady",
                                                  "PodResizeInProgress",
                                                  "PodResizePending",
                                                  "PodReadyToStartContainers",
                                                  "AllContainersRestarting"};

struct Condition {
  std::string_view type;
  bool holds = true;
  std::string_view reason = {};
  std::string message = {};
  bool counts_generation = true;
};

struct Names {
  std::vector<std::string_view> unknown = {};
  std::vector<std::string_view> lacking = {};

  // "containers with unready status: [a b]"
  std::string message(std::string_view lack) const {
    std::string text;
    const auto add = [&text](std::string_view what, const std::vector<std::string_view>& names) {
      if (names.empty()) return;
      if (!text.empty()) text += ", ";
      text += "containers with " + std::string(what) + " status: [" + join(names, " ") + "]";
    };
    add("unknown", unknown);
    add(lack, lacking);
    return text;
  }
};

View status_of(View status, const ContainerSpec& container) {
  const bool is_regular = container.kind == ContainerKind::kRegular;
  return find_container_status(status[is_regular ? "containerStatuses" : "initContainerStatuses"],
                               container.name());
}

void write(const Pod& pod, View old, Time now, Edit list, const Condition& condition) {
  const std::string_view value = condition.holds ? "True" : "False";
  const Edit written = list.push_object();
  written.set("type", condition.type);
  if (condition.counts_generation && pod.generation() != 0) {
    written.set("observedGeneration", pod.generation());
  }
  written.set("status", value);
  const View before = find_condition(old, condition.type);
  if (before["status"].text() == value && before["lastTransitionTime"]) {
    written.copy("lastTransitionTime", before["lastTransitionTime"]);
  } else {
    written.set("lastTransitionTime", format_time(now));
  }
  if (!condition.reason.empty()) written.set("reason", condition.reason);
  if (!condition.message.empty()) written.set("message", condition.message);
}

std::string_view reason_of_end(std::string_view phase) {
  return phase == "Failed" ? "PodFailed" : "PodCompleted";
}

Condition containers_ready(const Pod& pod, View status) {
  Names names;
  for (const ContainerSpec& container : containers_of(pod)) {
    if (container.kind == ContainerKind::kInit || container.kind == ContainerKind::kEphemeral)
      continue;
    const View found = status_of(status, container);
    if (!found) {
      names.unknown.push_back(container.name());
    } else if (!found["ready"].flag()) {
      names.lacking.push_back(container.name());
    }
  }
  const std::string_view phase = status["phase"].text();
  if (phase == "Failed" || (phase == "Succeeded" && names.unknown.empty())) {
    return {.type = "ContainersReady", .holds = false, .reason = reason_of_end(phase)};
  }
  std::string message = names.message("unready");
  if (message.empty()) return {.type = "ContainersReady"};
  return {.type = "ContainersReady",
          .holds = false,
          .reason = "ContainersNotReady",
          .message = std::move(message)};
}

// Readiness gates refer to conditions of other components.
Condition ready(const Pod& pod, View status, Condition containers) {
  containers.type = "Ready";
  if (!containers.holds) return containers;
  std::string message;
  for (const View gate : pod.spec()["readinessGates"].items()) {
    const std::string type(gate["conditionType"].text());
    const View found = find_condition(status, type);
    if (found["status"].text() == "True") continue;
    if (!message.empty()) message += ", ";
    message +=
        found ? "the status of pod readiness gate \"" + type + "\" is not \"True\", but " +
                    std::string(found["status"].text())
              : "corresponding condition of pod readiness gate \"" + type + "\" does not exist.";
  }
  if (message.empty()) return containers;
  return {.type = "Ready",
          .holds = false,
          .reason = "ReadinessGatesNotReady",
          .message = std::move(message)};
}

bool has_regular_started(View status) {
  const auto statuses = status["containerStatuses"].items();
  return std::any_of(statuses.begin(), statuses.end(), [](const View container) {
    return container["state"]["running"] || container["state"]["terminated"];
  });
}

Condition initialized(const Pod& pod, View status, View old) {
  Names names;
  for (const ContainerSpec& container : containers_of(pod)) {
    const bool is_sidecar = container.kind == ContainerKind::kSidecar;
    if (!is_sidecar && container.kind != ContainerKind::kInit) continue;
    const View found = status_of(status, container);
    if (!found) {
      names.unknown.push_back(container.name());
    } else if (!found[is_sidecar ? "started" : "ready"].flag()) {
      names.lacking.push_back(container.name());
    }
  }
  if (status["phase"].text() == "Succeeded" && names.unknown.empty()) {
    return {.type = "Initialized", .reason = "PodCompleted"};
  }
  std::string message = names.message("incomplete");
  // Once initialized, a pod stays so: init containers may be removed or restarted.
  if (message.empty() || has_regular_started(status) ||
      find_condition(old, "Initialized")["status"].text() == "True") {
    return {.type = "Initialized"};
  }
  return {.type = "Initialized",
          .holds = false,
          .reason = "ContainersNotInitialized",
          .message = std::move(message)};
}

// There is one sandbox, the newest, with a network.
bool has_sandbox(const StatusInputs& inputs) {
  const auto& sandboxes = inputs.running.sandboxes;
  const auto ready = std::count_if(sandboxes.begin(), sandboxes.end(), [](const auto& sandbox) {
    return sandbox.state == cri::SandboxState::kReady;
  });
  const cri::Sandbox* newest = inputs.running.ready_sandbox();
  return ready == 1 && newest != nullptr &&
         (inputs.pod.uses_host_network() || !newest->addresses.empty());
}

Condition all_restarting(const StatusInputs& inputs, View status, View old) {
  Condition condition{.type = "AllContainersRestarting", .holds = false};
  condition.counts_generation = false;  // GenerateAllContainersRestartingCondition has none
  const std::string_view phase = status["phase"].text();
  if (is_final_phase(phase)) {
    condition.reason = reason_of_end(phase);
    return condition;
  }
  const auto containers = containers_of(inputs.pod);
  const bool any_left = std::any_of(containers.begin(), containers.end(), [&](const auto& one) {
    return one.kind != ContainerKind::kEphemeral && inputs.running.newest(one.name()) != nullptr;
  });
  if (!any_left || !is_restarting_all(inputs.pod, inputs.running, old)) return condition;
  condition.holds = true;
  condition.reason = "RestartAllContainersStarted";
  condition.message = "container exited with restart policy rule";
  return condition;
}

void write_resize(std::string_view type, const std::optional<ResizeCondition>& condition,
                  Edit list) {
  if (!condition) return;
  const Edit written = list.push_object();
  written.set("type", type);
  if (condition->generation != 0) written.set("observedGeneration", condition->generation);
  written.set("status", "True");
  written.set("lastProbeTime", format_time(condition->told));
  written.set("lastTransitionTime", format_time(condition->since));
  if (!condition->reason.empty()) written.set("reason", condition->reason);
  if (!condition->message.empty()) written.set("message", condition->message);
}

// Conditions of others stay as the API server has them. A pod that has ended is not resized.
void keep_others(const StatusInputs& inputs, View old, Edit list) {
  for (const View condition : inputs.pod.status()["conditions"].items()) {
    if (is_own_condition(condition["type"].text())) continue;
    list.push(condition.value()->copy(list.arena()));
  }
  if (!inputs.stopped) {
    write_resize("PodResizePending", inputs.resize.pending, list);
    write_resize("PodResizeInProgress", inputs.resize.in_progress, list);
  }
  const View disrupted = find_condition(old, "DisruptionTarget");
  if (!disrupted) return;
  for (size_t index = 0; index < list.size(); ++index) {
    if (list.item(index)["type"].text() == "DisruptionTarget") {
      list.value().erase(index);
      break;
    }
  }
  list.push(disrupted.value()->copy(list.arena()));
}

}  // namespace conditions

bool is_own_condition(std::string_view type) {
  const auto& own = conditions::kOwn;
  return std::find(own.begin(), own.end(), type) != own.end();
}

void write_conditions(const StatusInputs& inputs, api::View old, api::Edit status) {
  const Pod& pod = inputs.pod;
  const api::Edit list = status.array("conditions");
  const auto add = [&](const conditions::Condition& condition) {
    conditions::write(pod, old, inputs.now, list, condition);
  };
  conditions::keep_others(inputs, old, list);
  add({.type = "PodReadyToStartContainers", .holds = conditions::has_sandbox(inputs)});
  add(conditions::initialized(pod, status.view(), old));
  const auto containers = conditions::containers_ready(pod, status.view());
  add(conditions::ready(pod, status.view(), containers));
  add(containers);
  add({.type = "PodScheduled"});
  if (could_restart_all(pod)) add(conditions::all_restarting(inputs, status.view(), old));
}

void end_readiness(const Pod& pod, api::Edit status, api::View old, Time now) {
  const std::string_view phase = status["phase"].text();
  if (!is_final_phase(phase)) return;
  if (find_condition(status.view(), "Ready")["status"].text() != "True" &&
      find_condition(status.view(), "ContainersReady")["status"].text() != "True")
    return;
  const api::Edit list = status.array("conditions");
  for (const std::string_view type : {"ContainersReady", "Ready"}) {
    for (size_t index = 0; index < list.size(); ++index) {
      if (list.item(index)["type"].text() != type) continue;
      list.value().erase(index);
      break;
    }
    conditions::write(pod, old, now, list,
                      {.type = type, .holds = false, .reason = conditions::reason_of_end(phase)});
  }
}

}  // namespace proa::kubelet
