#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "lab/plan/plan.h"

namespace proa::lab {

// What to do with a frame that one machine sent, on its way to another.
enum class Passage : uint8_t {
  kNone,     // it is not for that machine
  kBridged,  // passed on as it is
  kRouted,   // passed on with new link addresses
};
// Pure. `frame`: with its Ethernet header.
Passage passage_of(std::string_view frame, const Machine& from, const Machine& to);
// A routed frame as the other machine gets it: link addresses, and one hop less. False if it has no
// hop left.
bool route_frame(std::string& frame, const Cable& to);

// Takes the place of the switch between two machines, whose packets it drops: catches frames where
// they come in, holds each for `delay`, and sends it out at the other port. Works on any kernel,
// where delays of the kernel (netem) need a module. Returns when a port disappears. REQUIRES: this
// thread is in the network namespace of the switch.
Result<void> run_relay(const Machine& a, const Machine& b, Duration delay);

}  // namespace proa::lab
