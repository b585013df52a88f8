#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "base/net/ip_address.h"
#include "base/threads/mutex.h"

namespace proa::dns {

// Questions that wait for servers outside, counted per client: one pod that asks for random names
// must not use up what all have. Thread-safe.
class InFlight {
 public:
  // Of one client. A pod with hundreds of names in its start-up is fine.
  static constexpr size_t kMostPerClient = 256;

  // False if the client has too many. What was begun is ended.
  bool begin(const IpAddress& client) EXCLUDES(mutex_);
  void end(const IpAddress& client) EXCLUDES(mutex_);
  size_t clients() const EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<IpAddress, size_t> counts_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
