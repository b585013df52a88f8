#pragma once

#include <memory>
#include <string>

#include "apiserver/server.h"
#include "controllers/framework/manager.h"

namespace proa::cli {

// The controllers of a server: they talk to it under identities of their own, and run while this
// process leads. Everything outlives them.
class ServerControllers {
 public:
  // `candidate`: this process in elections.
  ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                    std::vector<controllers::ControllerEntry> entries,
                    controllers::ControllerOptions options, const std::string& candidate);

  void start() { manager_.start(); }
  // Afterwards nothing of theirs runs any more.
  void stop() { manager_.stop(); }

 private:
  WorkerPool pool_;
  controllers::Manager manager_;
};

}  // namespace proa::cli
