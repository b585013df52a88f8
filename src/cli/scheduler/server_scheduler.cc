#include "cli/scheduler/server_scheduler.h"

#include "api/schema/builtin.h"

namespace proa::cli {

apiserver::User scheduler_identity() {
  return {
      .name = "system:kube-scheduler", .uid = {}, .groups = {"system:authenticated"}, .extra = {}};
}

ServerScheduler::ServerScheduler(apiserver::ApiServer& api)
    : client_(api.client(scheduler_identity())) {}

Result<std::unique_ptr<ServerScheduler>> ServerScheduler::make(apiserver::ApiServer& api,
                                                               Clock& clock, Random& random,
                                                               scheduler::SchedulerConfig config,
                                                               client::Candidate candidate) {
  // Unless configured otherwise.
  client::ElectionPace& pace = config.leader_election;
  if (pace == client::ElectionPace()) pace = client::kUnhurried;
  std::unique_ptr<ServerScheduler> made(new ServerScheduler(api));
  made->service_ = TRY(scheduler::SchedulerService::make({.client = *made->client_,
                                                          .schema = api::builtin_schema(),
                                                          .clock = clock,
                                                          .random = random,
                                                          .pool = made->pool_},
                                                         std::move(config), std::move(candidate)));
  return made;
}

}  // namespace proa::cli
