#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace proa::apiserver::audit {

// Whether requests wait for their events. kBatch: never, events are dropped if there are too many.
// kBlocking: until the event of stage RequestReceived was given to the backend. kBlockingStrict:
// also, the request fails if that failed.
enum class Mode : uint8_t { kBatch, kBlocking, kBlockingStrict };

// --audit-*-batch-*
struct BatchOptions {
  size_t buffer_events = 10'000;
  size_t max_events = 1;
  Duration max_wait{0};
  bool throttles = false;
  double batches_per_second = 10;
  size_t burst = 15;
};

// --audit-*-truncate-*
struct TruncateOptions {
  bool enabled = false;
  size_t max_batch_bytes = size_t{10} << 20;
  size_t max_event_bytes = size_t{100} << 10;
};

struct LaneOptions {
  Mode mode = Mode::kBatch;
  BatchOptions batch = {};
  TruncateOptions truncate = {};
  size_t queue_bytes = size_t{64} << 20;
  // Batches that are written at once; zero: by the lane's own thread.
  size_t writers = 0;
  // Events that nobody waits for are gathered so long, so that a busy server does not wake the
  // lane's thread for each of its requests.
  Duration gather{0};
};

}  // namespace proa::apiserver::audit
