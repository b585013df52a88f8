#include "kubelet/pod/handlers/hooks.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "kubelet/model/reference.h"
#include "kubelet/pod/handlers/http/connection.h"
#include "kubelet/pod/handlers/http/http_get.h"
#include "kubelet/runtime/cri/failure_text.h"

namespace proa::kubelet {
namespace hooks {

Status failed(std::string_view kind, const std::string& what, const Pod& pod, api::View container,
              const Status& why) {
  return Status(why.reason(), std::string(kind) + " lifecycle hook (" + what + ") for Container " +
                                  api::quoted(container["name"].text()) + " in Pod " +
                                  api::quoted(pod_text(pod)) + " failed - error: " + why.message());
}

std::vector<std::string> command_of(api::View exec) {
  std::vector<std::string> command;
  for (const api::View word : exec["command"].items()) command.emplace_back(word.text());
  return command;
}

}  // namespace hooks

Result<void> Hooks::run(const Pod& pod, api::View container, const std::string& container_id,
                        const std::string& pod_address, api::View handler, const Until& until) {
  if (const api::View exec = handler["exec"]) {
    const auto command = hooks::command_of(exec);
    std::string output;
    const auto ran = run_exec(container_id, command, until, output);
    if (ran.ok()) return {};
    const Status why(ran.status().reason(),
                     ran.status().message() + ", message: " + api::quoted(output));
    return hooks::failed("Exec", "[" + join(command, " ") + "]", pod, container, why);
  }
  if (const api::View action = handler["httpGet"]) {
    const auto ran = run_http(pod, container, pod_address, action, until);
    if (ran.ok()) return {};
    return hooks::failed("HTTP", std::string(action["path"].text()), pod, container, ran.status());
  }
  if (const api::View action = handler["sleep"]) {
    const int64_t seconds = action["seconds"].integer();
    const auto ran = run_sleep(seconds, until);
    if (ran.ok()) return {};
    return hooks::failed("Sleep", std::to_string(seconds), pod, container, ran.status());
  }
  return Status(Reason::kBadRequest, "Cannot run handler: invalid handler");
}

Result<void> Hooks::run_exec(const std::string& container_id,
                             const std::vector<std::string>& command, const Until& until,
                             std::string& output) {
  const auto result = runtime_.exec(container_id, command, Duration::zero(), until);
  if (!result.ok()) return Status(result.status().reason(), cri::failure_text(result.status()));
  if (result->exit_code == 0) return {};
  output = result->output + result->errors;
  return Status(Reason::kInternalError, "command '" + join(command, " ") + "' exited with " +
                                            std::to_string(result->exit_code) + ": " +
                                            result->errors);
}

Result<void> Hooks::run_http(const Pod& pod, api::View container, const std::string& pod_address,
                             api::View action, const Until& until) {
  if (action["host"].text().empty() && pod_address.empty()) {
    return Status(Reason::kServiceUnavailable, "failed to find networking container");
  }
  HttpGet request = TRY(make_http_get(action, container, pod_address, "lifecycle"));
  // Whatever the code: that it was answered is enough.
  const auto answer = http_get(request, clock_, until);
  if (answer.ok()) return {};
  if (!request.tls || !is_plain_answer_to_tls(answer.status())) return answer.status();
  // HTTPS was the default of old servers' specs that speak plain HTTP; what was meant for a secure
  // connection does not go over this one.
  request.tls = false;
  request.headers.remove("authorization");
  if (!http_get(request, clock_, until).ok()) return answer.status();
  if (events_ == nullptr) return {};
  events_->warning(reference_to(pod), "LifecycleHTTPFallback",
                   "request to HTTPS lifecycle hook " + join_host_port(request.host, request.port) +
                       " got HTTP response, retry with HTTP succeeded");
  return {};
}

Result<void> Hooks::run_sleep(int64_t seconds, const Until& until) {
  // Validation keeps it below the grace period; a year is beyond anything sensible.
  constexpr int64_t kLongest = 365 * 24 * 3600;
  const Steady end =
      clock_.steady() + std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongest));
  Mutex mutex;
  CondVar stopped;
  const std::stop_callback wake(until.stop, [&] {
    MutexLock lock(mutex);
    stopped.notify_all();
  });
  MutexLock lock(mutex);
  while (clock_.steady() < end) {
    if (until.stop.stop_requested() || clock_.steady() >= until.deadline) {
      return Status(Reason::kTimeout, "container terminated before sleep hook finished");
    }
    clock_.wait_until(stopped, mutex, std::min(end, until.deadline));
  }
  return {};
}

}  // namespace proa::kubelet
