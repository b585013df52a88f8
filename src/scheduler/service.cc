#include "scheduler/service.h"

#include "base/log.h"
#include "scheduler/make_profiles.h"
#include "scheduler/plugins/table.h"

namespace proa::scheduler {
namespace service {

const Log kLog{"scheduler"};

std::optional<client::ElectionOptions> election(const LeaderElection& wanted,
                                                const api::Schema& schema,
                                                client::Candidate candidate) {
  if (!wanted.elect) return std::nullopt;
  client::ElectionOptions options;
  options.lease = {.resource = schema.find_resource("coordination.k8s.io", "v1", "leases"),
                   .name_space = wanted.resource_namespace,
                   .name = wanted.resource_name,
                   .subresource = {}};
  options.candidate = std::move(candidate);
  static_cast<client::ElectionPace&>(options) = wanted;
  return options;
}

// As upstream's NewLeaderElector; its validation does not check this.
Result<void> check(const LeaderElection& wanted) {
  constexpr double kJitter = 1.2;
  const auto least = std::chrono::duration_cast<Duration>(kJitter * wanted.retry_period);
  if (!wanted.elect || wanted.renew_deadline > least) return {};
  return Status(Reason::kInvalid,
                "leaderElection: renewDeadline must be greater than retryPeriod*JitterFactor");
}

}  // namespace service

SchedulerService::SchedulerService(const SchedulerContext& context, SchedulerConfig config,
                                   client::Candidate candidate)
    : context_(context),
      config_(std::move(config)),
      leading_(context.client, context.clock, context.random,
               service::election(config_.leader_election, context.schema, std::move(candidate)),
               [this](const std::stop_token& lost) { return lead(lost); }) {}

Result<std::unique_ptr<SchedulerService>> SchedulerService::make(const SchedulerContext& context,
                                                                 SchedulerConfig config,
                                                                 client::Candidate candidate) {
  TRY(service::check(config.leader_election));
  std::unique_ptr<SchedulerService> made(
      new SchedulerService(context, std::move(config), std::move(candidate)));
  // One that never runs: what plugins don't like should be known now, not when the lead is won.
  TRY(Scheduler::make(context, made->options()));
  return made;
}

SchedulerOptions SchedulerService::options() const {
  SchedulerOptions options;
  options.queue.initial_backoff = std::chrono::seconds(config_.pod_initial_backoff_seconds);
  options.queue.max_backoff = std::chrono::seconds(config_.pod_max_backoff_seconds);
  options.make_profiles = [this](const PluginContext& context) {
    return make_profiles(config_, plugin_table(), context);
  };
  return options;
}

std::shared_ptr<void> SchedulerService::lead(const std::stop_token& lost) const {
  Result<std::unique_ptr<Scheduler>> made = Scheduler::make(context_, options());
  if (!made) {
    service::kLog.error("creating the scheduler failed", {{"error", made.status()}});
    return nullptr;
  }
  std::shared_ptr<Scheduler> scheduler = std::move(*made);
  if (!scheduler->start({.deadline = Steady::max(), .stop = lost})) return nullptr;
  return scheduler;
}

}  // namespace proa::scheduler
