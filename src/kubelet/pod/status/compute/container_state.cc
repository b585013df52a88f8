#include "kubelet/pod/status/compute/container_state.h"

namespace proa::kubelet {
namespace container_state {

using api::Edit;
using api::View;

// The terminated state of exactly that container in the old status.
View find_told_end(View old, std::string_view id) {
  for (const std::string_view field : {"state", "lastState"}) {
    const View ended = old[field]["terminated"];
    if (ended && ended["containerID"].text() == id) return ended;
  }
  return {};
}

// The exit as the runtime reports it, and the termination message.
std::string end_message(const StatusInputs& inputs, const cri::Container& container, View old,
                        std::string_view id) {
  if (const View told = find_told_end(old, id)) return std::string(told["message"].text());
  std::string message = container.message;
  if (!inputs.termination_message) return message;
  const std::string own = inputs.termination_message(container);
  if (!own.empty() && !message.empty()) message += ": ";
  return message + own;
}

void set_exited(const StatusInputs& inputs, const cri::Container& container, View old, Edit state) {
  const std::string id = container_id(inputs, container);
  const std::string message = end_message(inputs, container, old, id);
  const Edit ended = state.object("terminated");
  ended.set("exitCode", container.exit_code);
  if (!container.reason.empty()) ended.set("reason", container.reason);
  if (!message.empty()) ended.set("message", message);
  ended.set("startedAt", format_time(container.started));
  ended.set("finishedAt", format_time(container.finished));
  ended.set("containerID", id);
}

}  // namespace container_state

void set_waiting(api::Edit state, std::string_view reason, std::string_view message) {
  state.remove("running");
  state.remove("terminated");
  state.set("waiting", json::Value::object());
  const api::Edit waiting = state.object("waiting");
  if (!reason.empty()) waiting.set("reason", reason);
  if (!message.empty()) waiting.set("message", message);
}

void set_terminated(api::Edit state, std::string_view reason, std::string_view message,
                    int exit_code) {
  state.remove("running");
  state.remove("waiting");
  state.set("terminated", json::Value::object());
  const api::Edit terminated = state.object("terminated");
  terminated.set("exitCode", exit_code);
  terminated.set("reason", reason);
  terminated.set("message", message);
}

std::string container_id(const StatusInputs& inputs, const cri::Container& container) {
  return inputs.runtime_name + "://" + container.id;
}

void set_runtime_state(const StatusInputs& inputs, const cri::Container& container, api::View old,
                       api::Edit state) {
  switch (container.state) {
    case cri::ContainerState::kRunning:
      state.object("running").set("startedAt", format_time(container.started));
      return;
    case cri::ContainerState::kExited:
      container_state::set_exited(inputs, container, old, state);
      return;
    case cri::ContainerState::kCreated:
      set_waiting(state, {}, {});
      return;
    case cri::ContainerState::kUnknown:
      return;
  }
}

}  // namespace proa::kubelet
