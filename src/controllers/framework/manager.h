#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/leader/while_leading.h"
#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// Runs the controllers while this process leads: of several servers over one store, one does. They
// are made anew with every lead, so that they know nothing from before.
class Manager {
 public:
  // `identity`: unlike those of all other servers. Everything outlives it.
  Manager(std::vector<ControllerEntry> entries, Surroundings surroundings,
          const std::string& identity);

  void start();
  // Gives the lead back; so does destruction.
  void stop() { leading_.stop(); }

 private:
  std::shared_ptr<void> lead(const std::stop_token& lost) const;

  const std::vector<ControllerEntry> entries_;
  const Surroundings surroundings_;
  const std::unique_ptr<client::Client> client_;
  client::WhileLeading leading_;
};

}  // namespace proa::controllers
