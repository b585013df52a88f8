#pragma once

#include <memory>

#include "base/random.h"
#include "client/client.h"

namespace proa::sim {

// How often something goes wrong: one of so many times; 0: never.
struct FaultRates {
  uint64_t write_refused = 0;     // the server never heard of it
  uint64_t write_unanswered = 0;  // it was done, but nobody was told
  uint64_t crash = 0;             // the process ends right behind a write
  uint64_t watch_broken = 0;      // goes on where it was
  uint64_t watch_expired = 0;     // has to ask for everything again
  bool late_events =
      false;  // caches hear of changes some time later, one resource before the other
};

// What goes wrong between one process and the server, as a seed decides.
class Faults {
 public:
  // `random` outlives it.
  explicit Faults(Random& random) : random_(random) {}

  void set(const FaultRates& rates) { rates_ = rates; }
  // From then on the process does nothing any more: another one has to begin.
  bool crashed() const { return crashed_; }
  void revive() { crashed_ = false; }
  // That the process asked for, and that were done.
  size_t writes() const { return writes_; }

  // A client whose calls go wrong. The faults outlive it.
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
