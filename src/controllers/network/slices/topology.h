#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/threads/mutex.h"
#include "client/key.h"
#include "controllers/network/service_facts.h"
#include "controllers/network/slices/zones.h"

namespace proa::controllers {

// What is known of zones, and of the services whose endpoints were divided among them. Safe to use
// from any thread.
class Topology {
 public:
  using Ratios = std::shared_ptr<const std::optional<ZoneRatios>>;

  void set_nodes(std::span<const api::ObjectPtr> nodes) EXCLUDES(mutex_);
  Ratios ratios() const EXCLUDES(mutex_);
  // Services that have to be divided anew since the nodes changed.
  std::vector<client::Key> overloaded() const EXCLUDES(mutex_);

  // The endpoints of a service were divided. Whether none of its were before.
  bool divided(const client::Key& service, IpFamily family, ZoneCounts counts) EXCLUDES(mutex_);
  // They are for all zones now. Whether some were not before.
  bool undivided(const client::Key& service, IpFamily family) EXCLUDES(mutex_);
  // Whether that is another problem than the last one.
  bool is_news(const client::Key& service, IpFamily family, const std::string& problem)
      EXCLUDES(mutex_);
  // The service is gone.
  void forget(const client::Key& service) EXCLUDES(mutex_);

 private:
  struct Divided {
    std::map<IpFamily, ZoneCounts> counts = {};
    std::map<IpFamily, std::string> problems = {};
    bool hinted = false;
  };

  mutable Mutex mutex_;
  Ratios ratios_ GUARDED_BY(mutex_) = std::make_shared<const std::optional<ZoneRatios>>();
  std::map<client::Key, Divided> services_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
