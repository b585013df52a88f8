#pragma once

#include "client/events/recorder.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// Runs postStart and preStop handlers. From any thread that is not a loop's.
class Hooks {
 public:
  // Everything outlives it.
  Hooks(cri::Runtime& runtime, client::EventRecorder& events, Clock& clock)
      : runtime_(runtime), events_(&events), clock_(clock) {}
  // Without Events.
  Hooks(cri::Runtime& runtime, Clock& clock) : runtime_(runtime), clock_(clock) {}

  // `handler`: a LifecycleHandler {exec | httpGet | sleep}; tcpSocket is rejected, as upstream
  // does. The failure's message is upstream's for the container state. The Events
  // FailedPostStartHook and FailedPreStopHook only say "PostStartHook failed" and "PreStopHook
  // failed": a response may contain secrets.
  Result<void> run(const Pod& pod, api::View container, const std::string& container_id,
                   const std::string& pod_address, api::View handler, const Until& until);

 private:
  Result<void> run_exec(const std::string& container_id, const std::vector<std::string>& command,
                        const Until& until, std::string& output);
  Result<void> run_http(const Pod& pod, api::View container, const std::string& pod_address,
                        api::View action, const Until& until);
  Result<void> run_sleep(int64_t seconds, const Until& until);

  cri::Runtime& runtime_;
  client::EventRecorder* const events_ = nullptr;
  Clock& clock_;
};

}  // namespace proa::kubelet
