#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "client/leader/election.h"

namespace proa::client {

// Runs something while this process leads: of several processes, one does. It is made anew with
// every lead, so that it knows nothing from before.
class WhileLeading {
 public:
  // Called on a thread of its own, which the election does not wait for: it may fill caches until
  // the token says that the lead is lost. What it returns is at work until it is destroyed.
  using Begin = std::function<std::shared_ptr<void>(const std::stop_token& lost)>;

  // Everything outlives it. Without election: from start() to stop().
  WhileLeading(Client& client, Clock& clock, Random& random,
               std::optional<ElectionOptions> election, Begin begin);
  // Stops it, and gives the lead back.
  ~WhileLeading();
  WhileLeading(const WhileLeading&) = delete;
  WhileLeading& operator=(const WhileLeading&) = delete;

  void start();
  // Afterwards nothing of it is at work any more. It may be started again.
  void stop();

 private:
  void lead();
  void give_way();

  const Begin begin_;
  std::optional<Election> election_;
  // Of whoever runs the election; of stop() when that has ended, or there is none.
  std::jthread beginning_;
  std::shared_ptr<void> running_;
  std::jthread thread_;
};

}  // namespace proa::client
