#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/leader/while_leading.h"
#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// Runs the controllers while this process leads; of several servers over one store, one does.
// Controllers are created for each term, so they have no older state.
class Manager {
 public:
  // `candidate`: its identity is unique among all servers. Everything outlives it.
  Manager(std::vector<ControllerEntry> entries, SharedContext shared, client::Candidate candidate);

  void start();
  // Releases the lease; so does destruction.
  void stop() { leading_.stop(); }
  // Whether controllers run, here or in another process; OK if there are none to run.
  Result<void> health() const;

 private:
  std::shared_ptr<void> lead(const std::stop_token& lost) const;

  const std::vector<ControllerEntry> entries_;
  const SharedContext shared_;
  const std::unique_ptr<client::Client> client_;
  client::WhileLeading leading_;
};

}  // namespace proa::controllers
