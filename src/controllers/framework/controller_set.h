#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// One line of the table of controllers.
struct ControllerEntry {
  std::string_view name;     // name in logs and flags: "deployment-controller"
  std::string_view account;  // its service account in kube-system: "deployment-controller"
  std::unique_ptr<Controller> (*make)(const ControllerContext& context);
  // Source of its Events, if that is not its account: "daemonset-controller".
  std::string_view component = {};
  // Another name in flags, such as upstream's former one: "nodeipam".
  std::string_view alias = {};

  // Whether a flag that says `word` means it. The names need not end in "-controller".
  bool is_named(std::string_view word) const;
};

// Creates a client that acts as that service account of kube-system, or as the controller manager
// itself if empty.
using ClientFor = std::function<std::unique_ptr<client::Client>(std::string_view account)>;

// What all controllers share. Everything outlives them.
struct SharedContext {
  ClientFor client_for;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  ControllerOptions options;
};

// Runs controllers: creates them, connects them to informers, reconciles until stopped. One thread
// polls informers and dispatches keys for all of them, another one polls the informers of custom
// resources; reconciles run on the pool.
class ControllerSet {
 public:
  ControllerSet(std::span<const ControllerEntry> entries, const SharedContext& shared);
  // Stops all controllers.
  ~ControllerSet();
  ControllerSet(const ControllerSet&) = delete;
  ControllerSet& operator=(const ControllerSet&) = delete;

  // Waits for the caches to sync, then starts; false if `until` ends before that.
  bool start(const Until& until);
  void stop();
  // Instead of start(), for single-threaded use: does everything that is possible without waiting.
  // Returns the number of reconciles.
  size_t step();
  // The same, but only a random part: some caches receive some events, and one controller
  // reconciles one key. For the simulation.
  void step_some(Random& random);
  // When the next key is due; max if none is delayed.
  Steady next_due() const;

 private:
  struct Running;
  void tell_filled();

  const SharedContext shared_;
  std::stop_source stop_;  // ends calls of controllers early
  std::unique_ptr<client::Client> reader_;
  std::unique_ptr<Informers> informers_;
  std::vector<std::unique_ptr<Running>> running_;
  Poller poller_;
  Poller custom_poller_;  // objects of custom resources
  bool filled_ = false;
};

}  // namespace proa::controllers
