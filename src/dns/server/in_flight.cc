#include "dns/server/in_flight.h"

namespace proa::dns {

bool InFlight::begin(const IpAddress& client) {
  MutexLock lock(mutex_);
  size_t& count = counts_[client];
  if (count >= kMostPerClient) return false;
  ++count;
  return true;
}

void InFlight::end(const IpAddress& client) {
  MutexLock lock(mutex_);
  const auto found = counts_.find(client);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

size_t InFlight::clients() const {
  MutexLock lock(mutex_);
  return counts_.size();
}

}  // namespace proa::dns
