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

// As for other API clients.
constexpr Duration kRequestTimeout = std::chrono::seconds(30);

Result<std::string> find_kubeconfig(const Settings& settings,
                                    const scheduler::SchedulerConfig& config) {
  if (const std::string& given = settings.text("kubeconfig"); !given.empty()) return given;
  if (!config.client_connection.kubeconfig.empty()) return config.client_connection.kubeconfig;
  return Status(Reason::kInvalid,
                "--kubeconfig, or clientConnection.kubeconfig in --scheduler-config, is required; "
                "`proa server` runs its own scheduler");
}

Result<void> check(const Invocation& invocation) {
  SystemFiles files;
  const scheduler::SchedulerConfig config = TRY(read_scheduler_config(invocation.settings, files));
  TRY(find_kubeconfig(invocation.settings, config));
  return {};
}

Result<void> run(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  const scheduler::SchedulerConfig config = TRY(read_scheduler_config(invocation.settings, files));
  const std::string kubeconfig = TRY(find_kubeconfig(invocation.settings, config));
  StopSignals signals;
  SystemClock clock;
  SystemRandom random;
  const auto cluster = TRY(AdminClient::open_kubeconfig(kubeconfig, kRequestTimeout));
  WorkerPool pool;
  const auto service =
      TRY(scheduler::SchedulerService::make({.client = cluster->client().unbounded(),
                                             .schema = api::builtin_schema(),
                                             .clock = clock,
                                             .random = random,
                                             .pool = pool},
                                            config, unique_candidate(random)));
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
      .summary = "Run the scheduler for a remote API server, in the foreground.",
      .description =
          "Works with Proa and with upstream's kube-apiserver. `proa server` runs its own\n"
          "scheduler unless it has --scheduler=false. If several run, the holder of the lease\n"
          "kube-system/kube-scheduler (configurable) schedules. The kubeconfig's user needs the\n"
          "role system:kube-scheduler.",
      .flags = {kubeconfig_flag(), scheduler_config_flag()},
      .run = scheduler_alone::run,
      .check = scheduler_alone::check};
}

}  // namespace proa::cli
