#include "kubelet/pod/handlers/probes/probe_action.h"

#include <algorithm>

#include "api/validation/go_text.h"
#include "base/strings.h"
#include "http/client/grpc.h"
#include "kubelet/model/reference.h"
#include "kubelet/pod/environment/environment.h"
#include "kubelet/pod/handlers/http/connection.h"
#include "kubelet/pod/handlers/http/http_get.h"
#include "kubelet/pod/handlers/probes/health_message.h"
#include "kubelet/runtime/cri/failure_text.h"

namespace proa::kubelet {
namespace probe_actions {

constexpr int kTries = 3;
constexpr size_t kMaxOutput = 10 * 1024;
// Time for the runtime beyond the probe's own timeout, to end the command.
constexpr Duration kRuntimeSlack = std::chrono::minutes(2);

Duration timeout_of(api::View probe) {
  return std::chrono::seconds(std::max<int64_t>(probe["timeoutSeconds"].integer(1), 1));
}

// Expands $(VAR) from literal values of `env`; other values are unknown here, and empty.
std::vector<std::string> command_of(api::View exec, api::View container) {
  Environment environment;
  for (const api::View variable : container["env"].items()) {
    environment.push_back(
        {std::string(variable["name"].text()), std::string(variable["value"].text())});
  }
  std::vector<std::string> command;
  for (const api::View word : exec["command"].items()) {
    command.push_back(expand(word.text(), environment));
  }
  return command;
}

}  // namespace probe_actions

ProbeOutcome ProbeActions::run(const ProbeTarget& target, const std::stop_token& stop) {
  ProbeOutcome outcome;
  for (int i = 0; i < probe_actions::kTries && !stop.stop_requested(); ++i) {
    outcome = run_once(target, stop);
    if (outcome.error.empty()) break;
  }
  return outcome;
}

ProbeOutcome ProbeActions::run_once(const ProbeTarget& target, const std::stop_token& stop) {
  const Duration timeout = probe_actions::timeout_of(target.probe);
  const Until until = Until::after(clock_, timeout, stop);
  if (target.probe["exec"]) return run_exec(target, timeout, stop);
  if (target.probe["httpGet"]) return run_http(target, until);
  if (target.probe["tcpSocket"]) return run_tcp(target, until);
  if (target.probe["grpc"]) return run_grpc(target, timeout, until);
  return ProbeOutcome::unknown("missing probe handler for " + pod_text(target.pod) + ":" +
                               std::string(target.container["name"].text()));
}

ProbeOutcome ProbeActions::run_exec(const ProbeTarget& target, Duration timeout,
                                    const std::stop_token& stop) {
  const auto command = probe_actions::command_of(target.probe["exec"], target.container);
  const Until until = Until::after(clock_, timeout + probe_actions::kRuntimeSlack, stop);
  const auto result = runtime_.exec(target.container_id, command, timeout, until);
  if (result.is(Reason::kTimeout)) {
    return ProbeOutcome::failure("command timed out: " + api::quoted(join(command, " ")) +
                                 " timed out after " + format_duration(timeout));
  }
  if (!result.ok()) return ProbeOutcome::unknown(cri::failure_text(result.status()));
  std::string output = (result->output + result->errors).substr(0, probe_actions::kMaxOutput);
  return result->exit_code == 0 ? ProbeOutcome::success(std::move(output))
                                : ProbeOutcome::failure(std::move(output));
}

ProbeOutcome ProbeActions::run_http(const ProbeTarget& target, const Until& until) {
  const auto request =
      make_http_get(target.probe["httpGet"], target.container, target.address, "probe");
  if (!request.ok()) return ProbeOutcome::unknown(request.status().message());
  auto answer = http_get(*request, clock_, until);
  if (!answer.ok()) return ProbeOutcome::failure(answer.status().message());
  // The body stays out of failures: upstream's issue 99425, it may hold secrets.
  if (answer->status < 200 || answer->status >= 400) {
    return ProbeOutcome::failure("HTTP probe failed with statuscode: " +
                                 std::to_string(answer->status));
  }
  if (answer->status < 300) return ProbeOutcome::success(std::move(answer->body));
  return {ProbeOutcome::Kind::kWarning,
          "Probe terminated redirects, Response body: " + answer->body,
          {}};
}

ProbeOutcome ProbeActions::run_tcp(const ProbeTarget& target, const Until& until) {
  const api::View action = target.probe["tcpSocket"];
  const auto port = resolve_port(action["port"], target.container);
  if (!port.ok()) return ProbeOutcome::unknown(port.status().message());
  const std::string host(action["host"].text(target.address));
  const auto connection =
      Connection::dial(clock_, host.empty() ? target.address : host, *port, until);
  return connection.ok() ? ProbeOutcome::success({})
                         : ProbeOutcome::failure(connection.status().message());
}

ProbeOutcome ProbeActions::run_grpc(const ProbeTarget& target, Duration timeout,
                                    const Until& until) {
  const api::View action = target.probe["grpc"];
  http::Origin origin;
  origin.host = target.address;
  origin.port = static_cast<int>(action["port"].integer());
  origin.protocol = http::HttpProtocol::kHttp2;
  const std::string peer = join_host_port(origin.host, origin.port);
  http::GrpcChannel channel(client_, std::move(origin));
  const auto answer = channel.unary("/grpc.health.v1.Health/Check",
                                    print_health_request(action["service"].text()), until);
  const std::string time = format_duration(timeout);
  if (!answer.ok()) {
    const Status& why = answer.status();
    if (why.message().rfind("connecting to", 0) == 0 || why.message().rfind("looking up", 0) == 0) {
      return ProbeOutcome::failure("timeout: failed to connect service " + api::quoted(peer) +
                                   " within " + time + ": context deadline exceeded");
    }
    switch (http::grpc_code(why)) {
      case http::GrpcCode::kUnimplemented:
        return ProbeOutcome::failure(
            "error: this server does not implement the grpc health protocol "
            "(grpc.health.v1.Health): " +
            why.message());
      case http::GrpcCode::kDeadlineExceeded:
        return ProbeOutcome::failure("timeout: health rpc did not complete within " + time);
      default:
        return ProbeOutcome::failure("error: health rpc probe failed: " + cri::failure_text(why));
    }
  }
  const std::string health = read_health_answer(answer->view());
  if (health == "SERVING") return ProbeOutcome::success("service healthy");
  return ProbeOutcome::failure("service unhealthy (responded with " + api::quoted(health) + ")");
}

}  // namespace proa::kubelet
