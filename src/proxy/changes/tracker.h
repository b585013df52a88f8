#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "client/key.h"
#include "proxy/objects/service_state.h"
#include "proxy/rules.h"

namespace proa::proxy {

// The ports of all Services as they were last read, and what differs when one is read again. For
// one thread.
class Tracker {
 public:
  // Appends a change for each port that differs. A Service that is gone has an empty state.
  void update(const client::Key& key, ServiceState state, std::vector<Change>& changes);

  std::vector<ServicePortPtr> all() const;
  // Ports, whose number bounds the memory used.
  size_t size() const { return size_; }

  // Services with a health check port.
  struct Health {
    uint16_t port = 0;
    std::array<size_t, 2> local_ready = {};        // per Family
    std::array<bool, 2> families = {true, false};  // of the Service's addresses

    bool operator==(const Health&) const = default;
  };
  const std::map<client::Key, Health>& health() const { return health_; }

  // When the changes of endpoints of a family began that were read since the last call.
  std::vector<Time> take_triggers(Family family) {
    return std::exchange(triggers_[static_cast<size_t>(family)], {});
  }

 private:
  struct Entry {
    std::vector<ServicePortPtr> ports;  // in the order of families and names
    // Per Family: the latest one reported.
    std::array<Time, 2> triggers = {Time::min(), Time::min()};
  };

  std::map<client::Key, Entry> services_;
  std::map<client::Key, Health> health_;
  std::array<std::vector<Time>, 2> triggers_;  // per Family
  size_t size_ = 0;
};

}  // namespace proa::proxy
