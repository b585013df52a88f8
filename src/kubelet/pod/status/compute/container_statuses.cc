#include "kubelet/pod/status/compute/container_statuses.h"

#include <algorithm>

#include "base/strings.h"
#include "kubelet/model/status_fields.h"
#include "kubelet/pod/plan/restart_all.h"
#include "kubelet/pod/status/compute/container_state.h"
#include "kubelet/pod/status/compute/resource_status.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace container_statuses {

using api::Edit;
using api::View;

// What holds for all containers of a pod.
struct StatusContext {
  const StatusInputs& inputs;
  bool has_init = false;
  bool restarting_all = false;
  bool regular_created = false;  // some regular container was: init containers are through
};

int64_t restart_count(const cri::Container& container) {
  const auto found = container.annotations.find(cri::kRestartCount);
  if (found == container.annotations.end()) return container.attempt;
  return parse_int(found->second).value_or(container.attempt);
}

bool mounts_recursively(View mount, bool supported) {
  const std::string_view mode = mount["recursiveReadOnly"].text("Disabled");
  const std::string_view propagation = mount["mountPropagation"].text("None");
  if (propagation != "None" || !supported) return false;
  return mode == "IfPossible" || mode == "Enabled";
}

void write_mounts(const StatusInputs& inputs, View container, Edit status) {
  if (container["volumeMounts"].empty()) return;
  const Edit list = status.array("volumeMounts");
  for (const View mount : container["volumeMounts"].items()) {
    const Edit written = list.push_object();
    written.copy("name", mount["name"]);
    written.copy("mountPath", mount["mountPath"]);
    if (!mount["readOnly"].flag()) continue;
    written.set("readOnly", true);
    written.set("recursiveReadOnly", mounts_recursively(mount, inputs.recursive_read_only)
                                         ? std::string_view("Enabled")
                                         : std::string_view("Disabled"));
  }
}

void write_user(const cri::Container& container, Edit status) {
  if (!container.user) return;
  const Edit user = status.object("user").object("linux");
  user.set("uid", container.user->uid);
  user.set("gid", container.user->gid);
  if (container.user->supplemental_groups.empty()) return;
  const Edit groups = user.array("supplementalGroups");
  for (const int64_t group : container.user->supplemental_groups) {
    groups.push(json::Value::integer(group));
  }
}

// The last end is kept even when the runtime does not have that container any more.
void keep_last_end(View old, std::string_view id, Edit status) {
  const View ended = old["state"]["terminated"];
  if (ended && old["containerID"].text() != id) {
    status.object("lastState").copy("terminated", ended);
  } else if (old["lastState"]["terminated"]) {
    status.object("lastState").copy("terminated", old["lastState"]["terminated"]);
  }
}

// What the runtime has of a container.
void write_found(const StatusContext& around, const ContainerSpec& spec,
                 const cri::Container& container, View old, Edit status) {
  const StatusInputs& inputs = around.inputs;
  const std::string id = container_id(inputs, container);
  int64_t restarts = restart_count(container);
  const int64_t counted = restarts;
  restarts = std::max(restarts, old["restartCount"].integer());
  keep_last_end(old, id, status);

  const Edit state = status.object("state");
  set_runtime_state(inputs, container, old, state);
  if (container.state == cri::ContainerState::kRunning) {
    if (old["state"]["terminated"] && old["restartCount"].integer() >= counted) {
      restarts = old["restartCount"].integer() + 1;
    }
    if (old["started"] && old["containerID"].text() == id) status.copy("started", old["started"]);
  } else if (container.state == cri::ContainerState::kUnknown && old["state"]["running"]) {
    // It ran, and does no more: it has to count as an end, else pods that run once run twice.
    set_terminated(state, around.restarting_all ? kRestartingAll : kStatusUnknown,
                   "The container could not be located when the pod was terminated",
                   kUnknownExitCode);
    restarts = old["restartCount"].integer() + 1;
  } else if (container.state == cri::ContainerState::kUnknown) {
    set_waiting(state, {}, {});
  }
  if (const cri::Container* previous = inputs.running.previous(spec.name())) {
    status.set("lastState", json::Value::object());
    set_runtime_state(inputs, *previous, old, status.object("lastState"));
  }
  status.set("restartCount", restarts);
  status.set("image", container.image);
  status.set("imageID", container.image_ref);
  status.set("containerID", id);
  if (old["volumeMounts"]) {
    status.copy("volumeMounts", old["volumeMounts"]);
  } else {
    write_mounts(inputs, spec.view, status);
  }
  const auto told = inputs.bounds.find(container.id);
  write_container_resources(spec.view, container,
                            told == inputs.bounds.end() ? nullptr : &told->second, status);
  write_user(container, status);
}

// The state of a container that was reported as running but is unknown to the runtime.
void write_lost(const StatusContext& around, View old, Edit status) {
  if (around.restarting_all && !old["state"]["waiting"]) {
    constexpr std::string_view kMessage =
        "The container is removed because RestartAllContainers in place";
    set_waiting(status.object("state"), kRestartingAll, kMessage);
    set_terminated(status.object("lastState"), kRestartingAll, kMessage, kUnknownExitCode);
    status.set("restartCount", old["restartCount"].integer() + 1);
    return;
  }
  if (!old["state"]["running"] || status["lastState"]["terminated"]) return;
  // With a last end it counts as stopped, and the pod does not go back to Pending.
  set_terminated(status.object("lastState"), kStatusUnknown,
                 "The container could not be located when the pod was deleted.  The container "
                 "used to be Running",
                 kUnknownExitCode);
  if (!around.inputs.pod.deleted_at()) {
    status.set("restartCount", status["restartCount"].integer() + 1);
  }
}

void write_absent(const StatusContext& around, const ContainerSpec& spec, View old, Edit status) {
  if (old["state"]["terminated"]) {
    for (const json::Member& member : old.members()) status.copy(member.key, member.value);
  } else {
    set_waiting(status.object("state"),
                around.has_init ? std::string_view("PodInitializing")
                                : std::string_view("ContainerCreating"),
                {});
    status.set("restartCount", old["restartCount"].integer());
    if (old["lastState"]) status.copy("lastState", old["lastState"]);
    status.copy("image", spec.view["image"]);
    status.set_default("image", std::string_view());
    status.set("imageID", std::string_view());
    write_mounts(around.inputs, spec.view, status);
  }
  if (old) write_lost(around, old, status);
}

// Whether it will be started, again or for the first time.
bool will_start(const StatusInputs& inputs, const ContainerSpec& spec) {
  if (inputs.pod.deleted_at()) return false;
  const cri::Container* newest = inputs.running.newest(spec.name());
  if (newest == nullptr) return true;
  if (newest->state == cri::ContainerState::kRunning) return false;
  if (newest->state != cri::ContainerState::kExited) return true;
  if (inputs.restart_after_stop.contains(spec.name())) return true;
  json::Arena arena;
  json::Value ended = json::Value::object();
  Edit(arena, ended).set("exitCode", newest->exit_code);
  return is_restartable(inputs.pod, spec, ended);
}

// An init container that is through, or whose end was forgotten while the pod went on.
bool is_through(const StatusContext& around, const ContainerSpec& spec, Edit status) {
  const cri::Container* newest = around.inputs.running.newest(spec.name());
  if (newest != nullptr)
    return newest->state == cri::ContainerState::kExited && newest->exit_code == 0;
  if (!around.regular_created || spec.kind != ContainerKind::kInit || !status["state"]["waiting"])
    return false;
  set_terminated(status.object("state"), "Completed",
                 "Unable to get init container status from container runtime and pod has been "
                 "initialized, treat it as exited normally",
                 0);
  return true;
}

// Why it can't be started, where that was tried.
void write_reason(const StatusContext& around, const ContainerSpec& spec, Edit status) {
  const bool is_init = spec.kind == ContainerKind::kInit || spec.kind == ContainerKind::kSidecar;
  if (is_init && is_through(around, spec, status)) return;
  const auto reason = around.inputs.waiting.find(spec.name());
  if (reason == around.inputs.waiting.end() || !will_start(around.inputs, spec)) return;
  if (status["state"]["terminated"]) status.copy("lastState", status["state"]);
  set_waiting(status.object("state"), reason->second.reason, reason->second.message);
}

json::Value make_status(const StatusContext& around, const ContainerSpec& spec, View old,
                        json::Arena& arena) {
  json::Value value = json::Value::object();
  const Edit status(arena, value);
  status.set("name", spec.name());
  status.object("state");
  status.object("lastState");
  status.set("ready", false);
  if (const cri::Container* newest = around.inputs.running.newest(spec.name())) {
    write_found(around, spec, *newest, old, status);
  } else {
    write_absent(around, spec, old, status);
  }
  write_reason(around, spec, status);
  return value;
}

std::string_view list_of(ContainerKind kind) {
  switch (kind) {
    case ContainerKind::kInit:
    case ContainerKind::kSidecar:
      return "initContainerStatuses";
    case ContainerKind::kEphemeral:
      return "ephemeralContainerStatuses";
    case ContainerKind::kRegular:
      break;
  }
  return "containerStatuses";
}

}  // namespace container_statuses

void write_container_statuses(const StatusInputs& inputs, api::View old, api::Edit status) {
  std::vector<ContainerSpec> specs = containers_of(inputs.pod);
  container_statuses::StatusContext around{.inputs = inputs};
  around.restarting_all = is_restarting_all(inputs.pod, inputs.running, old);
  for (const ContainerSpec& spec : specs) {
    const bool is_regular = spec.kind == ContainerKind::kRegular;
    around.has_init |= spec.kind == ContainerKind::kInit || spec.kind == ContainerKind::kSidecar;
    around.regular_created |= is_regular && inputs.running.newest(spec.name()) != nullptr;
  }
  // Init containers in the order of the spec, others by name.
  std::stable_sort(specs.begin(), specs.end(), [](const auto& a, const auto& b) {
    const bool a_is_init = a.kind == ContainerKind::kInit || a.kind == ContainerKind::kSidecar;
    const bool b_is_init = b.kind == ContainerKind::kInit || b.kind == ContainerKind::kSidecar;
    if (a_is_init || b_is_init) return a_is_init && !b_is_init;
    return a.name() < b.name();
  });
  for (const ContainerSpec& spec : specs) {
    const std::string_view list = container_statuses::list_of(spec.kind);
    const api::View before = find_container_status(old[list], spec.name());
    status.array(list).push(container_statuses::make_status(around, spec, before, status.arena()));
  }
}

}  // namespace proa::kubelet
