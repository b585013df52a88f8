#include "cli/commands/explain_connection.h"

#include "api/schema/builtin.h"
#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/credentials/cluster_choice.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/run.h"
#include "policy/explain/explain.h"
#include "policy/objects/read_facts.h"

namespace proa::cli {
namespace explain_connection_unit {

// Interactive, but listing all pods of a large cluster takes a while.
constexpr Duration kRequestTimeout = std::chrono::seconds(30);

client::Key read_pod(const std::string& text, const std::string& name_space) {
  const auto halves = split_once(text, '/');
  if (!halves) return {name_space, text};
  return {std::string(halves->before), std::string(halves->after)};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  SystemClock clock;
  const auto cluster = TRY(open_cluster(settings, kRequestTimeout));
  const auto known = policy::read_cluster(cluster->client().unbounded(), api::builtin_schema(),
                                          Until::after(clock, kRequestTimeout));
  if (!known.ok()) return cluster->explain(known.status());
  const std::string& given = settings.text("namespace");
  const std::string& name_space = given.empty() ? cluster->name_space() : given;
  const auto protocol = policy::protocol_number(settings.text("protocol"));
  const policy::ConnectionExplanation about =
      TRY(policy::explain_connection(*known, read_pod(invocation.arguments[0], name_space),
                                     invocation.arguments[1], protocol.value_or(0)));
  const std::string& output = settings.text("output");
  terminal.out(output == "text" ? policy::show_text(about)
                                : format_value(policy::show_json(about).root(), output));
  return {};
}

}  // namespace explain_connection_unit

Command explain_connection_command() {
  return {
      .name = "explain-connection",
      .summary = "Explain which NetworkPolicy, route and Service decide over a connection.",
      .description =
          "TARGET is a pod (NAME:PORT, NAMESPACE/NAME:PORT, or without a port the first that it\n"
          "declares) or ADDRESS:PORT, also of a Service, which has a way for each endpoint. "
          "Judges\n"
          "by what the API has, with the rules that nodes are given. Read-only, sends no packet.",
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
      .run = explain_connection_unit::run};
}

}  // namespace proa::cli
