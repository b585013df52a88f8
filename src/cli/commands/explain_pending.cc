#include "cli/commands/explain_pending.h"

#include "api/schema/builtin.h"
#include "base/random.h"
#include "cli/command_line/output.h"
#include "cli/credentials/cluster_choice.h"
#include "cli/scheduler/scheduler_flags.h"
#include "cli/server/flags/server_flags.h"
#include "scheduler/explain/explain.h"
#include "scheduler/explain/show.h"

namespace proa::cli {
namespace explain_pending {

// Interactive, but listing all pods of a large cluster takes a while.
constexpr Duration kRequestTimeout = std::chrono::seconds(30);

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  const Settings& settings = invocation.settings;
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  const scheduler::SchedulerConfig config = TRY(read_scheduler_config(settings, files));
  const auto cluster = TRY(open_cluster(settings, kRequestTimeout));
  WorkerPool pool({.max_threads = 0});
  const std::string& given = settings.text("namespace");
  const Result<scheduler::Explanation> explanation = scheduler::explain(
      {.client = cluster->client().unbounded(),
       .schema = api::builtin_schema(),
       .clock = clock,
       .random = random,
       .pool = pool},
      config, given.empty() ? cluster->name_space() : given, invocation.arguments[0]);
  if (!explanation) return cluster->explain(explanation.status());
  const std::string& output = settings.text("output");
  terminal.out(output == "text" ? scheduler::show_text(*explanation)
                                : format_value(scheduler::show_json(*explanation).root(), output));
  return {};
}

}  // namespace explain_pending

Command explain_pending_command() {
  return {
      .name = "explain-pending",
      .summary = "Explain, node by node, why a pod is pending and what would help.",
      .description =
          "Evaluates the pod with the scheduler's own plugins on current data. Read-only. Nodes\n"
          "that are closest to fitting come first. A running server answers the same at\n"
          "/debug/proa/explain-pending/NAMESPACE/NAME?output=text.",
      .arguments = {{.word = "POD"}},
      .flags = {{.name = "namespace",
                 .word = "NAMESPACE",
                 .summary = "namespace of the pod; default: the kubeconfig's",
                 .letter = 'n'},
                kubeconfig_flag(),
                data_dir_flag(),
                scheduler_config_flag(),
                output_flag()},
      .run = explain_pending::run};
}

}  // namespace proa::cli
