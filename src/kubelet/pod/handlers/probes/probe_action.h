#pragma once

#include <string>

#include "http/client/client.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The result of one probe.
struct ProbeOutcome {
  // A warning counts as success.
  enum class Kind : uint8_t { kSuccess, kWarning, kFailure, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string output = {};  // for Events
  // Not empty: the probe could not run; its result is unknown.
  std::string error = {};

  static ProbeOutcome success(std::string output) {
    return {Kind::kSuccess, std::move(output), {}};
  }
  static ProbeOutcome failure(std::string output) {
    return {Kind::kFailure, std::move(output), {}};
  }
  static ProbeOutcome unknown(std::string error) { return {Kind::kUnknown, {}, std::move(error)}; }
};

// The target of a probe. Views into the pod.
struct ProbeTarget {
  const Pod& pod;
  api::View container = {};
  api::View probe = {};  // {exec | httpGet | tcpSocket | grpc, timeoutSeconds}
  std::string container_id = {};
  std::string address = {};  // of the pod
};

// Runs probes, each within its timeoutSeconds. From any thread that is not a loop's.
class ProbeActions {
 public:
  // Everything outlives it.
  ProbeActions(cri::Runtime& runtime, http::Client& client, const Clock& clock)
      : runtime_(runtime), client_(client), clock_(clock) {}

  // A probe that could not run is tried three times.
  ProbeOutcome run(const ProbeTarget& target, const std::stop_token& stop);

 private:
  ProbeOutcome run_once(const ProbeTarget& target, const std::stop_token& stop);
  ProbeOutcome run_exec(const ProbeTarget& target, Duration timeout, const std::stop_token& stop);
  ProbeOutcome run_http(const ProbeTarget& target, const Until& until);
  ProbeOutcome run_tcp(const ProbeTarget& target, const Until& until);
  ProbeOutcome run_grpc(const ProbeTarget& target, Duration timeout, const Until& until);

  cri::Runtime& runtime_;
  http::Client& client_;
  const Clock& clock_;
};

}  // namespace proa::kubelet
