#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "controllers/framework/controller.h"

namespace proa::controllers {

// One line of the table of controllers.
struct ControllerEntry {
  std::string_view name;     // for logs: "deployment"
  std::string_view account;  // its service account in kube-system: "deployment-controller"
  std::unique_ptr<Controller> (*make)(const ControllerContext& context);
  // What its Events call it, where that is not its account: "daemonset-controller".
  std::string_view component = {};
};

// A client for who acts as that service account of kube-system, or, where it is empty, as the
// process that runs the controllers.
using ClientFor = std::function<std::unique_ptr<client::Client>(std::string_view account)>;

// What all controllers share. Everything outlives them.
struct Surroundings {
  ClientFor client_for;
  const api::Schema& schema;
  Clock& clock;
  Random& random;
  WorkerPool& pool;
  ControllerOptions options;
};

// Controllers at work: made, wired to their informers, running until they are stopped. One thread
// follows the server and hands out keys for all of them; keys are worked on on the pool.
class ControllerSet {
 public:
  ControllerSet(std::span<const ControllerEntry> entries, const Surroundings& surroundings);
  // Stops them.
  ~ControllerSet();
  ControllerSet(const ControllerSet&) = delete;
  ControllerSet& operator=(const ControllerSet&) = delete;

  // Fills the caches, then begins; false when `until` came before that.
  bool start(const Until& until);
  void stop();
  // Instead of start(), for who runs everything on one thread: does what can be done without
  // waiting. How many keys were looked at.
  size_t step();
  // The same, but only a part of it, as chance has it: some caches hear of some news, and one
  // controller looks at one key. For the simulation.
  void step_some(Random& random);
  // When the next key is due; max when none waits for its time.
  Steady next_due() const;

 private:
  struct Running;
  void tell_filled();

  const Surroundings surroundings_;
  std::unique_ptr<client::Client> reader_;
  std::unique_ptr<Informers> informers_;
  std::vector<std::unique_ptr<Running>> running_;
  Poller poller_;
  bool filled_ = false;
};

}  // namespace proa::controllers
