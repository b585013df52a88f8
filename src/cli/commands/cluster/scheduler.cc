#include "cli/commands/cluster/scheduler.h"

#include "api/schema/builtin.h"
#include "base/random.h"
#include "cli/credentials/admin_client.h"
#include "cli/host/candidate.h"
#include "cli/host/signals.h"
#include "cli/scheduler/scheduler_flags.h"
#include "scheduler/service.h"

namespace proa::cli {
namespace scheduler_alone {

// As other clients of the API wait.
constexpr Duration kTimeout = std::chrono::seconds(30);

Result<std::string> find_kubeconfig(const Settings& settings,
                                    const scheduler::SchedulerConfig& config) {
  if (const std::string& given = settings.text("kubeconfig"); !given.empty()) return given;
  if (!config.client_connection.kubeconfig.empty()) return config.client_connection.kubeconfig;
  return Status(Reason::kInvalid,
                "which server? --kubeconfig says it, or clientConnection.kubeconfig of "
                "--scheduler-config; `proa server` has a scheduler of its own");
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  const scheduler::SchedulerConfig config = TRY(read_scheduler_config(invocation.settings, files));
  const std::string kubeconfig = TRY(find_kubeconfig(invocation.settings, config));
  StopSignals signals;
  SystemClock clock;
  SystemRandom random;
  const auto cluster = TRY(AdminClient::open_kubeconfig(kubeconfig, kTimeout));
  WorkerPool pool;
  const auto service = TRY(scheduler::SchedulerService::make({.client = cluster->client(),
                                                              .schema = api::builtin_schema(),
                                                              .clock = clock,
                                                              .random = random,
                                                              .pool = pool},
                                                             config, candidate_name(random)));
  service->start();
  terminal.out("Scheduling for " + cluster->server() + ". Ctrl-C or SIGTERM stops it.\n");
  const std::string_view signal = signals.wait();
  signals.release();
  terminal.out(std::string(signal) + ": stopping\n");
  service->stop();
  terminal.out("Stopped.\n");
  return {};
}

}  // namespace scheduler_alone

Command scheduler_command() {
  return {
      .name = "scheduler",
      .summary = "Give the pods of a cluster nodes, in the foreground.",
      .description =
          "For a server that is elsewhere, which may be upstream's too; `proa server` has a\n"
          "scheduler of its own (--scheduler=false turns it off). Of several, one decides: the\n"
          "one that holds the lease, kube-system/kube-scheduler unless the configuration says\n"
          "another. The user of the kubeconfig needs the role system:kube-scheduler.",
      .flags = {kubeconfig_flag(), scheduler_config_flag()},
      .run = scheduler_alone::run};
}

}  // namespace proa::cli
