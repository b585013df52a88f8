#include "kubelet/runtime/logs/log_source.h"

#include <fmt/format.h>

#include "api/validation/go_text.h"

namespace proa::kubelet {
namespace log_source_of {

api::View find_status(api::View pod_status, std::string_view container) {
  for (const char* list :
       {"containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"}) {
    for (const api::View status : pod_status[list].items()) {
      if (status["name"].text() == container) return status;
    }
  }
  return {};
}

std::string why_waiting(std::string_view reason) {
  if (reason == "ErrImagePull") return "image can't be pulled";
  if (reason == "ImagePullBackOff") return "trying and failing to pull image";
  return std::string(reason);
}

}  // namespace log_source_of

Result<std::string> log_source(api::View pod_status, std::string_view pod_name,
                               std::string_view container, bool previous) {
  const std::string which =
      fmt::format("container {} in pod {}", api::quoted(container), api::quoted(pod_name));
  const auto refuse = [](std::string message) {
    return Status(Reason::kBadRequest, std::move(message));
  };
  const api::View status = log_source_of::find_status(pod_status, container);
  if (!status) return refuse(which + " is not available");
  const api::View state = status["state"];
  const api::View last = status["lastState"]["terminated"];
  const std::string before(last["containerID"].text());
  if (previous) {
    if (!before.empty()) return before;
    return refuse("previous terminated " + which + " not found");
  }
  if (state["running"]) return std::string(status["containerID"].text());
  if (const api::View ended = state["terminated"]) {
    // Empty when the next one was not even created.
    if (!ended["containerID"].text().empty()) return std::string(ended["containerID"].text());
  }
  if (state["terminated"] || last) {
    if (!before.empty()) return before;
    return refuse(which + " is terminated");
  }
  if (const api::View waiting = state["waiting"]) {
    return refuse(fmt::format("{} is waiting to start: {}", which,
                              log_source_of::why_waiting(waiting["reason"].text())));
  }
  return refuse(which + " is waiting to start - no logs yet");
}

}  // namespace proa::kubelet
