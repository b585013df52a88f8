#pragma once

#include <memory>

#include "apiserver/server.h"
#include "scheduler/service.h"

namespace proa::cli {

// The scheduler of a server: it talks to it under an identity of its own, and decides while this
// process leads.
class ServerScheduler {
 public:
  // Everything outlives it. Fails with what is wrong with the configuration. `candidate`: this
  // process in elections.
  static Result<std::unique_ptr<ServerScheduler>> make(apiserver::ApiServer& api, Clock& clock,
                                                       Random& random,
                                                       scheduler::SchedulerConfig config,
                                                       const std::string& candidate);

  void start() { service_->start(); }
  // Afterwards nothing of it runs any more.
  void stop() { service_->stop(); }

 private:
  explicit ServerScheduler(apiserver::ApiServer& api);

  const std::unique_ptr<client::Client> client_;
  WorkerPool pool_;
  std::unique_ptr<scheduler::SchedulerService> service_;
};

// As upstream's is known to the server: its default roles name this user.
apiserver::User scheduler_identity();

}  // namespace proa::cli
