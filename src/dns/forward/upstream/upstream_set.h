#pragma once

#include <vector>

#include "base/random.h"
#include "base/time.h"
#include "dns/config/settings.h"
#include "dns/message/name.h"

namespace proa::dns {

// What is known of one upstream. For the forwarder's thread.
struct UpstreamState {
  Upstream upstream = {};
  uint64_t tag = 0;         // of its loop probes
  unsigned fails = 0;       // in a row
  bool down = false;        // probed until it answers again
  bool looping = false;     // it asks us what we ask it
  bool folds_case = false;  // it does not keep the case of letters: 0x20 cannot be used
  bool probing = false;     // of its health
  bool loop_probing = false;
  Steady probe_due = Steady::max();  // of its health; max: it is not down
  Steady loop_probe_due = Steady::min();
};

// A zone with its upstreams, and which of them are asked. For the forwarder's thread.
class UpstreamSet {
 public:
  explicit UpstreamSet(const ForwardZone& zone);

  const ForwardZone& zone() const { return zone_; }
  NameView name() const { return name_; }
  bool contains(NameView name) const { return name.within(name_); }
  // Whether a name in the zone is not to be forwarded.
  bool excepts(NameView name) const;
  std::vector<UpstreamState>& all() { return all_; }
  UpstreamState& at(size_t index) { return all_[index]; }

  // Indices of upstreams in the order in which they are asked: by the policy, those that are up
  // first. Those that are in a loop are left out. Where all are down they are asked all the same:
  // the probes may be what is broken.
  std::vector<uint8_t> order(Random& random);
  bool all_down() const;

  void succeeded(size_t index);
  // True if that made it count as down.
  bool failed(size_t index, Steady now);

  size_t in_flight = 0;

 private:
  const ForwardZone zone_;
  Name name_;
  std::vector<Name> except_;
  std::vector<UpstreamState> all_;
  size_t turn_ = 0;
};

}  // namespace proa::dns
