#pragma once

#include <cstddef>
#include <cstdint>

#include "http/budgets/rate_limit.h"

namespace proa::http {

// Frames without progress that a peer may send on an HTTP/2 connection: pings, settings,
// priorities, window updates, empty data, frames of unknown types. Each costs the receiver work and
// the sender next to nothing. Progress earns more of them, and so does time, up to a burst:
// keep-alive pings need that. One thread only.
class FrameBudget {
 public:
  // A peer may acknowledge each frame of data by window updates of the stream and the connection;
  // the rest is a margin.
  static constexpr uint64_t kEarnedByProgress = 4;
  // Go's readers send these two updates for every 4 KiB that they read, and older ones for each
  // read, which may be short.
  static constexpr uint64_t kBytesPerEarned = 256;

  FrameBudget(uint32_t burst, uint32_t per_second) : idle_(burst, per_second) {}

  // The connection carried a part of a request or response, in either direction. `sent`: bytes that
  // the peer will acknowledge. What is earned has no upper bound, for a peer that reads late sends
  // all its updates at once: the frames stay in proportion to the work that was done.
  void progress(size_t sent = 0) { earned_ += kEarnedByProgress + sent / kBytesPerEarned; }

  // Counts a received frame without progress; false if it is one too many.
  bool spend(Steady now) {
    if (earned_ == 0) return idle_.allow(now);
    --earned_;
    return true;
  }

 private:
  RateLimit idle_;
  uint64_t earned_ = 0;
};

}  // namespace proa::http
