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

// CPU ratios of zones, and the services whose endpoints are distributed by them. Thread-safe.
class Topology {
 public:
  using Ratios = std::shared_ptr<const std::optional<ZoneRatios>>;

  void set_nodes(std::span<const api::ObjectPtr> nodes) EXCLUDES(mutex_);
  Ratios ratios() const EXCLUDES(mutex_);
  // Services whose endpoints must be redistributed since the nodes changed.
  std::vector<client::Key> overloaded() const EXCLUDES(mutex_);

  // The endpoints of a service were distributed. Returns whether they were not before.
  bool divided(const client::Key& service, IpFamily family, ZoneCounts counts) EXCLUDES(mutex_);
  // The endpoints have no hints any more. Returns whether they had before.
  bool undivided(const client::Key& service, IpFamily family) EXCLUDES(mutex_);
  // Whether the problem differs from the last one.
  bool is_news(const client::Key& service, IpFamily family, const std::string& problem)
      EXCLUDES(mutex_);
  // The service was deleted.
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
