#pragma once

#include <string>

#include "http/client/client.h"
#include "kubelet/model/pod.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// What one probe found.
struct ProbeOutcome {
  // A warning is a success that people should look at.
  enum class Kind : uint8_t { kSuccess, kWarning, kFailure, kUnknown };
  Kind kind = Kind::kUnknown;
  std::string output = {};  // what Events say
  // Not empty: it could not be carried out at all, and says nothing about the container.
  std::string error = {};

  static ProbeOutcome success(std::string output) {
    return {Kind::kSuccess, std::move(output), {}};
  }
  static ProbeOutcome failure(std::string output) {
    return {Kind::kFailure, std::move(output), {}};
  }
  static ProbeOutcome unknown(std::string error) { return {Kind::kUnknown, {}, std::move(error)}; }
};

// What a probe goes to. Views into the pod.
struct ProbeTarget {
  const Pod& pod;
  api::View container = {};
  api::View probe = {};  // {exec | httpGet | tcpSocket | grpc, timeoutSeconds}
  std::string container_id = {};
  std::string address = {};  // of the pod
};

// Carries out probes, each within its timeoutSeconds. From any thread that is not a loop's.
class ProbeActions {
 public:
  // Everything outlives it.
  ProbeActions(cri::Runtime& runtime, http::Client& client, const Clock& clock)
      : runtime_(runtime), client_(client), clock_(clock) {}

  // What can't be carried out is tried three times.
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
