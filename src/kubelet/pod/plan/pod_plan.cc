#include "kubelet/pod/plan/pod_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubelet/pod/container/container_config.h"
#include "kubelet/pod/plan/restart_policy.h"
#include "kubelet/pod/plan/runtime_state.h"
#include "kubelet/runtime/cri/labels.h"

namespace proa::kubelet {
namespace pod_plan {

using cri::Container;
using cri::ContainerState;
using cri::RuntimePod;

bool failed(const ProbeResults& probes, const Container& container, ProbeKind kind) {
  return probes.get(container.id, kind) == std::optional<bool>(false);
}

bool is_init(const ContainerSpec& container) {
  return container.kind == ContainerKind::kInit || container.kind == ContainerKind::kSidecar;
}

// The plan of one pod while it is made.
class Planner {
 public:
  Planner(const Pod& pod, const RuntimePod& running, const ProbeResults& probes,
          const ContainerIds& resized, const RestartNames& restart_after_stop)
      : pod_(pod),
        running_(running),
        probes_(probes),
        resized_(resized),
        restart_after_stop_(restart_after_stop),
        containers_(containers_of(pod)) {}

  PodPlan make() {
    const RuntimeState state = classify_runtime(pod_, running_);
    if (const auto* unusable = std::get_if<UnusableSandbox>(&state)) {
      plan_.stop_all = true;
      plan_.attempt = unusable->next_attempt;
    }
    const cri::Sandbox* sandbox = usable_sandbox(state);
    if (sandbox == nullptr) {
      start_over();
      return std::move(plan_);
    }
    sandbox_ = sandbox->id;
    plan_.attempt = sandbox->attempt;
    start_ephemeral();
    if (initialize()) keep_running();
    return std::move(plan_);
  }

 private:
  // The newest one of that name in the sandbox that the pod has now.
  const Container* current(const ContainerSpec& container) const {
    const Container* newest = running_.newest(container.name());
    return newest != nullptr && newest->sandbox_id == sandbox_ ? newest : nullptr;
  }

  void stop(const Container& container, std::string message, StopReason reason) {
    plan_.stop.push_back({.id = container.id,
                          .name = container.name,
                          .message = std::move(message),
                          .reason = reason});
  }

  bool has_ended_for_good(const ContainerSpec& container) const {
    const Container* newest = running_.newest(container.name());
    return newest != nullptr && newest->state == ContainerState::kExited &&
           !restarts_after_end(container, *newest);
  }

  bool restarts_after_end(const ContainerSpec& container, const Container& ended) const {
    return restart_after_stop_.contains(container.name()) ||
           restarts_after_exit(pod_, container, ended.exit_code);
  }

  // There is no usable sandbox: start a new one, unless all containers have exited for good.
  void start_over() {
    const bool ran_before = plan_.attempt != 0 && !running_.containers.empty();
    if (ran_before && pod_.restart_policy() == "Never") return;
    std::vector<ContainerSpec> wanted;
    bool any_made = false;
    for (const ContainerSpec& container : containers_) {
      if (container.kind != ContainerKind::kRegular) continue;
      any_made = any_made || running_.newest(container.name()) != nullptr;
      if (!has_ended_for_good(container)) wanted.push_back(container);
    }
    if (wanted.empty() && any_made) return;
    plan_.new_sandbox = true;
    const bool has_init = !containers_.empty() && is_init(containers_.front());
    if (has_init) {
      plan_.start.push_back(containers_.front());
    } else {
      plan_.start = std::move(wanted);
    }
  }

  void start_ephemeral() {
    for (const ContainerSpec& container : containers_) {
      if (container.kind != ContainerKind::kEphemeral) continue;
      if (running_.newest(container.name()) == nullptr) plan_.start.push_back(container);
    }
  }

  // Whether a regular container was made in this sandbox: all init containers have done their part
  // then, even if the runtime has nothing left of them.
  bool was_initialized() const {
    return std::any_of(containers_.begin(), containers_.end(), [&](const ContainerSpec& container) {
      return container.kind == ContainerKind::kRegular && current(container) != nullptr;
    });
  }

  // Whether the regular containers may run.
  bool initialize() {
    std::vector<const ContainerSpec*> init;
    for (const ContainerSpec& container : containers_) {
      if (is_init(container)) init.push_back(&container);
    }
    const bool done = was_initialized();
    // The last init container that was started; those before it have completed.
    size_t frontier = init.size();
    while (frontier > 0 && !done && current(*init[frontier - 1]) == nullptr) --frontier;
    for (size_t i = 0; i + 1 < frontier || (done && i < init.size()); ++i) {
      if (init[i]->kind == ContainerKind::kSidecar) keep_sidecar(*init[i]);
    }
    if (done || init.empty()) return true;
    if (frontier == 0) {
      plan_.start.push_back(*init.front());
      return false;
    }
    if (!take_turn(*init[frontier - 1])) return false;
    if (frontier == init.size()) return true;
    plan_.start.push_back(*init[frontier]);
    return false;
  }

  // Whether the current init container lets the next one start.
  bool take_turn(const ContainerSpec& container) {
    if (container.kind == ContainerKind::kSidecar) return keep_sidecar(container);
    const Container& now = *current(container);
    switch (now.state) {
      case ContainerState::kRunning:
        return false;
      case ContainerState::kCreated:
        plan_.start.push_back(container);
        return false;
      case ContainerState::kExited:
        if (now.exit_code == 0) return true;
        start_again_or_end(container, restarts_after_exit(pod_, container, now.exit_code));
        return false;
      case ContainerState::kUnknown:
        break;
    }
    stop(now, "Init container is in \"unknown\" state, try killing it before restart",
         StopReason::kNone);
    start_again_or_end(container, restarts_when_killed(pod_, container));
    return false;
  }

  void start_again_or_end(const ContainerSpec& container, bool again) {
    if (again) {
      plan_.start.push_back(container);
    } else {
      plan_.stop_all = true;
      plan_.start.clear();
    }
  }

  // A sidecar always runs. Whether it has started, as its startup probe sees it.
  bool keep_sidecar(const ContainerSpec& container) {
    const Container* now = current(container);
    if (now == nullptr || now->state != ContainerState::kRunning) {
      if (now != nullptr && now->state == ContainerState::kUnknown) {
        stop(*now, "Init container is in \"unknown\" state, try killing it before restart",
             StopReason::kNone);
      }
      plan_.start.push_back(container);
      return false;
    }
    const auto startup = probes_.get(now->id, ProbeKind::kStartup);
    const bool started = !container.fields->startup || startup == std::optional<bool>(true);
    if (container.fields->startup && startup == std::optional<bool>(false)) {
      restart_sidecar(container, *now, "failed startup probe", StopReason::kStartup);
    } else if (started && has_changed(container, *now)) {
      restart_sidecar(container, *now, "definition changed", StopReason::kNone);
    } else if (started && failed(probes_, *now, ProbeKind::kLiveness)) {
      restart_sidecar(container, *now, "failed liveness probe", StopReason::kLiveness);
    } else if (started && resized_.contains(now->id)) {
      stop(*now, resize_message(container), StopReason::kNone);
      plan_.start.push_back(container);
    }
    return started;
  }

  void restart_sidecar(const ContainerSpec& container, const Container& now, std::string_view why,
                       StopReason reason) {
    stop(now, fmt::format("Init container {} {}", container.name(), why), reason);
    plan_.start.push_back(container);
  }

  static std::string resize_message(const ContainerSpec& container) {
    return fmt::format("Container {} resize requires restart", container.name());
  }

  bool has_changed(const ContainerSpec& container, const Container& now) const {
    const auto hash = now.annotations.find(cri::kContainerHash);
    return hash != now.annotations.end() && hash->second != container_hash(container.view);
  }

  void keep_running() {
    size_t kept = 0;
    std::vector<ContainerSpec> start;
    for (const ContainerSpec& container : containers_) {
      if (container.kind != ContainerKind::kRegular) continue;
      const Container* now = current(container);
      if (now == nullptr || now->state != ContainerState::kRunning) {
        if (begins(container, now)) start.push_back(container);
      } else if (keeps(container, *now, start)) {
        ++kept;
      }
    }
    if (kept == 0 && start.empty()) {
      plan_.stop_all = true;
      // Sidecars alone do not keep a pod.
      plan_.start.clear();
      return;
    }
    plan_.start.insert(plan_.start.end(), start.begin(), start.end());
  }

  // Whether a container that does not run has to start.
  bool begins(const ContainerSpec& container, const Container* now) {
    if (now == nullptr) return !has_ended_for_good(container);
    if (now->state == ContainerState::kUnknown) {
      stop(*now, "Container is in \"unknown\" state, try killing it before restart",
           StopReason::kNone);
      return true;
    }
    if (now->state == ContainerState::kCreated || resized_.contains(now->id)) return true;
    return restarts_after_end(container, *now);
  }

  // Whether a running container continues unchanged.
  bool keeps(const ContainerSpec& container, const Container& now,
             std::vector<ContainerSpec>& start) {
    std::string message = fmt::format("Container {} ", container.name());
    StopReason reason = StopReason::kNone;
    bool again = restarts_when_killed(pod_, container);
    if (has_changed(container, now)) {
      message += "definition changed";
      again = true;
    } else if (failed(probes_, now, ProbeKind::kLiveness)) {
      message += "failed liveness probe";
      reason = StopReason::kLiveness;
    } else if (failed(probes_, now, ProbeKind::kStartup)) {
      message += "failed startup probe";
      reason = StopReason::kStartup;
    } else if (resized_.contains(now.id)) {
      stop(now, resize_message(container), reason);
      start.push_back(container);
      return false;
    } else {
      return true;
    }
    if (again) {
      message += ", will be restarted";
      start.push_back(container);
    }
    stop(now, std::move(message), reason);
    plan_.stop.back().again = again;
    // A container that is stopped for good keeps the pod until it has exited.
    return !again;
  }

  const Pod& pod_;
  const RuntimePod& running_;
  const ProbeResults& probes_;
  const ContainerIds& resized_;
  const RestartNames& restart_after_stop_;
  const std::vector<ContainerSpec> containers_;
  std::string sandbox_;
  PodPlan plan_;
};

}  // namespace pod_plan

PodPlan plan_pod(const Pod& pod, const cri::RuntimePod& running, const ProbeResults& probes,
                 const ContainerIds& resized, const RestartNames& restart_after_stop) {
  return pod_plan::Planner(pod, running, probes, resized, restart_after_stop).make();
}

}  // namespace proa::kubelet
