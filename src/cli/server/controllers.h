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
  // `candidate`: the identity of this process in elections.
  ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                    std::vector<controllers::ControllerEntry> entries,
                    controllers::ControllerOptions options, const std::string& candidate);

  void start() { manager_.start(); }
  // Returns when none of them runs any more.
  void stop() { manager_.stop(); }

 private:
  WorkerPool pool_;
  controllers::Manager manager_;
};

}  // namespace proa::cli
