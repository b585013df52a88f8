#pragma once

#include <memory>

#include "apiserver/server.h"
#include "scheduler/service.h"

namespace proa::cli {

// The scheduler of a server. It calls the API in-process under its own identity, and schedules
// while this process leads.
class ServerScheduler {
 public:
  // All arguments outlive it. Fails if the configuration is invalid. `candidate`: this process in
  // elections.
  static Result<std::unique_ptr<ServerScheduler>> make(apiserver::ApiServer& api, Clock& clock,
                                                       Random& random,
                                                       scheduler::SchedulerConfig config,
                                                       client::Candidate candidate);

  void start() { service_->start(); }
  // Returns when nothing of it runs any more.
  void stop() { service_->stop(); }
  Result<void> health() const { return service_->health(); }
  // The one in force.
  const scheduler::SchedulerConfig& config() const { return service_->config(); }

 private:
  explicit ServerScheduler(apiserver::ApiServer& api);

  const std::unique_ptr<client::Client> client_;
  WorkerPool pool_;
  std::unique_ptr<scheduler::SchedulerService> service_;
};

// The user that upstream's default roles name.
apiserver::User scheduler_identity();

}  // namespace proa::cli
