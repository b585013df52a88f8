#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "client/leader/election.h"

namespace proa::client {

// Runs something while this process is the leader. It is created for each term, so that it has no
// state from before.
class WhileLeading {
 public:
  // Called on its own thread, for which the election does not wait: it may fill caches until the
  // token says that leadership is lost. Its result works until it is destroyed.
  using Begin = std::function<std::shared_ptr<void>(const std::stop_token& lost)>;

  // REQUIRES: all arguments outlive it. Without an election: from start() to stop().
  WhileLeading(Client& client, Clock& clock, Random& random,
               std::optional<ElectionOptions> election, Begin begin);
  // Stops it, and releases the lease.
  ~WhileLeading();
  WhileLeading(const WhileLeading&) = delete;
  WhileLeading& operator=(const WhileLeading&) = delete;

  void start();
  // When this returns, nothing of it is running. It may be started again.
  void stop();
  // Whether it runs, here or where another candidate leads. Startup and changes of the leader get
  // some seconds. Thread-safe.
  Result<void> health() const EXCLUDES(mutex_);

 private:
  enum class State : uint8_t { kStopped, kWaiting, kBeginning, kRunning, kBroken };
  void lead();
  void begin(const std::stop_token& lost);
  void give_way(State next);
  void set(State state) EXCLUDES(mutex_);

  Clock& clock_;
  const Begin begin_;
  std::optional<Election> election_;
  mutable Mutex mutex_;
  State state_ GUARDED_BY(mutex_) = State::kStopped;
  Steady since_ GUARDED_BY(mutex_);
  // Used by the election's thread; by stop() after it has ended, or without an election.
  std::jthread beginning_;
  std::shared_ptr<void> running_;
  std::jthread thread_;
};

}  // namespace proa::client
