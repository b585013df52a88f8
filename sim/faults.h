#pragma once

#include <memory>

#include "base/random.h"
#include "client/client.h"

namespace proa::sim {

// Fault rates: one in this many; 0: never.
struct FaultRates {
  uint64_t write_refused = 0;     // the server does not receive it
  uint64_t write_unanswered = 0;  // committed, but the client gets no response
  uint64_t crash = 0;             // the process dies right after a write
  uint64_t watch_broken = 0;      // can be resumed
  uint64_t watch_expired = 0;     // requires a relist
  bool late_events = false;       // events are delayed, independently per resource
};

// Injects faults between one process and the server, driven by a seed.
class Faults {
 public:
  // REQUIRES: `random` outlives it.
  explicit Faults(Random& random) : random_(random) {}

  void set(const FaultRates& rates) { rates_ = rates; }
  // After a crash the process does nothing until revive().
  bool crashed() const { return crashed_; }
  void revive() { crashed_ = false; }
  // Successful writes of the process.
  size_t writes() const { return writes_; }

  // Wraps a client with faults. The faults outlive it.
  std::unique_ptr<client::Client> around(std::unique_ptr<client::Client> client);

 private:
  friend class FaultyClient;
  friend class FaultyWatch;
  bool happens(uint64_t one_of) { return one_of != 0 && random_.below(one_of) == 0; }

  Random& random_;
  FaultRates rates_;
  bool crashed_ = false;
  size_t writes_ = 0;
};

}  // namespace proa::sim
