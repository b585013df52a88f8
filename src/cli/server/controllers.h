#pragma once

#include <memory>
#include <string>

#include "apiserver/server.h"
#include "controllers/framework/manager.h"

namespace proa::cli {

// The controllers of a server. They call the API in-process under their own identities, and run
// while this process leads. All arguments outlive them.
class ServerControllers {
 public:
  // `candidate`: this process in elections.
  ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                    std::vector<controllers::ControllerEntry> entries,
                    controllers::ControllerOptions options, client::Candidate candidate);

  void start() { manager_.start(); }
  // Returns when none of them runs any more.
  void stop() { manager_.stop(); }
  Result<void> health() const { return manager_.health(); }

 private:
  WorkerPool pool_;
  controllers::Manager manager_;
};

}  // namespace proa::cli
