#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "apiserver/server.h"
#include "controllers/framework/manager.h"

namespace proa::cli {

// Who a controller is, as upstream: each has its own service account with a matching role. Empty:
// the controller manager.
apiserver::User controller_user(std::string_view account);

// The controllers of a server. They call the API in-process under their own identities, and run
// while this process leads. All arguments outlive them.
class ServerControllers {
 public:
  // `entries`: those of the controller manager. Without any the lead is somebody else's, and only
  // those of the API server run, always. `candidate`: this process in elections.
  ServerControllers(apiserver::ApiServer& api, Clock& clock, Random& random,
                    std::vector<controllers::ControllerEntry> entries,
                    controllers::ControllerOptions options, client::Candidate candidate);

  ~ServerControllers() { stop(); }
  ServerControllers(const ServerControllers&) = delete;
  ServerControllers& operator=(const ServerControllers&) = delete;

  void start();
  // Returns when none of them runs any more.
  void stop();
  Result<void> health() const { return manager_.health(); }

 private:
  const bool led_by_another_;
  WorkerPool pool_;
  const controllers::SharedContext shared_;
  controllers::Manager manager_;
  std::optional<controllers::ControllerSet> of_api_server_;
  std::jthread starting_;
};

}  // namespace proa::cli
