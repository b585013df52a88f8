#pragma once

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/threads/mutex.h"
#include "client/leader/election.h"
#include "controllers/framework/controller_set.h"

namespace proa::controllers {

// Runs the controllers while this process leads: of several servers over one store, one does. They
// are made anew with every lead, so that they know nothing from before.
class Manager {
 public:
  // `identity`: unlike those of all other servers. Everything outlives it.
  Manager(std::vector<ControllerEntry> entries, Surroundings surroundings,
          const std::string& identity);
  // Stops them, and gives the lead back.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  void start();
  void stop();

 private:
  void lead();
  void give_way();

  const std::vector<ControllerEntry> entries_;
  const Surroundings surroundings_;
  const std::unique_ptr<client::Client> client_;
  client::Election election_;
  std::stop_source leading_;
  std::jthread starting_;  // fills caches, which the election must not wait for
  std::unique_ptr<ControllerSet> set_;
  std::jthread thread_;
};

}  // namespace proa::controllers
