#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/net/ip_address.h"
#include "base/threads/shared_mutex.h"

namespace proa::dns {

// Who may ask: this machine and the pods on it, nobody else. An open resolver would answer to
// forged addresses, with more than it was sent. Thread-safe.
class Access {
 public:
  struct Rules {
    std::vector<IpPrefix> pods = {};  // ranges of the pods on this machine
    // The link that they send through; empty: any, since the network is not ours.
    std::string link = {};
  };
  // REQUIRES: the clock outlives it.
  explicit Access(Clock& clock) : clock_(clock) {}

  void set(Rules rules) EXCLUDES(mutex_);
  void set_pods(std::vector<IpPrefix> pods) EXCLUDES(mutex_);
  void set_link(std::string link) EXCLUDES(mutex_);

  // A packet, by the link that it came in by.
  bool allows_packet(const IpAddress& source, unsigned link) EXCLUDES(mutex_);
  // A connection that is established, so its address is not forged.
  bool allows_connection(const IpAddress& source) EXCLUDES(mutex_);

 private:
  bool is_pod(const IpAddress& address) EXCLUDES(mutex_);
  bool is_pod_link(unsigned link) EXCLUDES(mutex_);
  bool is_local(const IpAddress& address) EXCLUDES(mutex_);
  // Whether the machine may be looked at again: not for every packet of a stranger.
  bool may_look(std::atomic<int64_t>& last);

  Clock& clock_;
  SharedMutex mutex_;
  Rules rules_ GUARDED_BY(mutex_);
  unsigned link_ GUARDED_BY(mutex_) = 0;
  std::vector<IpAddress> local_ GUARDED_BY(mutex_);
  std::atomic<int64_t> looked_for_link_ = 0;
  std::atomic<int64_t> looked_for_local_ = 0;
};

}  // namespace proa::dns
