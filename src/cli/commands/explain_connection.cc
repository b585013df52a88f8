#include "cli/commands/explain_connection.h"

#include "api/schema/builtin.h"
#include "cli/command_line/output.h"
#include "cli/credentials/cluster_choice.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/flags/server_flags.h"
#include "policy/explain/explain.h"
#include "policy/explain/target.h"
#include "policy/objects/read_facts.h"

namespace proa::cli {
namespace explain_connection_unit {

// Interactive, but listing all pods of a large cluster takes a while.
constexpr Duration kRequestTimeout = std::chrono::seconds(30);

Result<bool> ask(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  SystemClock clock;
  const auto cluster = TRY(open_cluster(settings, kRequestTimeout));
  const auto known = policy::read_cluster(cluster->client().unbounded(), api::builtin_schema(),
                                          Until::after(clock, kRequestTimeout));
  if (!known.ok()) return cluster->explain(known.status());
  const std::string& given = settings.text("namespace");
  const std::string name_space =
      given.empty() ? (cluster->name_space().empty() ? "default" : cluster->name_space()) : given;
  const auto protocol = policy::protocol_number(settings.text("protocol"));
  const policy::ConnectionExplanation about = TRY(
      policy::explain_connection(*known, policy::read_pod_name(invocation.arguments[0], name_space),
                                 invocation.arguments[1], protocol.value_or(0)));
  const std::string& output = settings.text("output");
  terminal.out(output == "text" ? policy::show_text(about)
                                : format_value(policy::show_json(about).root(), output));
  return about.allowed();
}

}  // namespace explain_connection_unit

Command explain_connection_command() {
  return {
      .name = "explain-connection",
      .summary = "Explain which NetworkPolicy, route and Service decide over a connection.",
      .description =
          "TARGET is one of\n"
          "  NAME:PORT, NAMESPACE/NAME:PORT   a pod, or a Service if no pod has this name\n"
          "  pod/NAME:PORT, svc/NAME:PORT     the one or the other; also svc/NAMESPACE/NAME:PORT\n"
          "  NAME.NAMESPACE.svc:PORT          a Service by its DNS name\n"
          "  ADDRESS:PORT, [ADDRESS]:PORT     a pod, a Service, a node or anything else\n"
          "PORT is a number or the name of a port; without it, the first that the pod or Service\n"
          "declares for the protocol. A Service has a way for each endpoint. Judges by what the\n"
          "API has, with the rules that nodes are given. Read-only, sends no packet.\n"
          "Exits with 0 if the connection is allowed, with 3 if it is not or leads nowhere, also\n"
          "for one endpoint of several, and with 1 if that could not be found out.",
      .arguments = {{.word = "POD"}, {.word = "TARGET"}},
      .flags = {{.name = "namespace",
                 .word = "NAMESPACE",
                 .summary = "namespace of the pod; default: the kubeconfig's",
                 .letter = 'n'},
                {.name = "protocol",
                 .kind = ValueKind::kChoice,
                 .fallback = "TCP",
                 .summary = "protocol of the connection",
                 .choices = {"TCP", "UDP", "SCTP"}},
                kubeconfig_flag(),
                data_dir_flag(),
                output_flag()},
      .ask = explain_connection_unit::ask};
}

}  // namespace proa::cli
