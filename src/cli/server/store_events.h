#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/server.h"
#include "base/threads/mutex.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "store/store.h"

namespace proa::cli {

// Records Events about the health of the store: about the local node, or about the namespace
// kube-system if there is none. A store that accepts no Events gets them when it does again.
class StoreEvents {
 public:
  explicit StoreEvents(Clock& clock);
  ~StoreEvents();
  StoreEvents(const StoreEvents&) = delete;
  StoreEvents& operator=(const StoreEvents&) = delete;

  // For EngineOptions: does not block. May be called before start() and after stop().
  void changed(const store::StoreHealth& health) EXCLUDES(mutex_);

  // From now on Events are recorded. `node_name` is empty if there is no node. REQUIRES: `api`
  // lives until stop() has returned.
  void start(apiserver::ApiServer& api, const std::string& node_name) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);

 private:
  struct Recording;
  struct Outage {
    std::string cause;
    Steady since;
  };

  Clock& clock_;
  Mutex mutex_;
  std::optional<Outage> outage_ GUARDED_BY(mutex_);
  std::unique_ptr<Recording> recording_ GUARDED_BY(mutex_);  // null: not started
};

}  // namespace proa::cli
