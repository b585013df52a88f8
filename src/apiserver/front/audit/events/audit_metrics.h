#pragma once

#include <array>

#include "apiserver/front/audit/events/policy.h"
#include "base/metrics/metrics.h"

namespace proa::apiserver::audit {

// The parts that can fail to record an event, with upstream's names.
enum class Plugin : uint8_t { kBuffered, kLog, kTruncate, kWebhook };

// With upstream's names. Thread-safe.
struct AuditMetrics {
  Counter events;
  std::array<Counter, std::size(kLevels)> requests;  // by level
  Counter rejected;
  std::array<Counter, 4> errors;  // by plugin: events that were not recorded

  void fail(Plugin plugin, uint64_t events_lost) {
    errors[static_cast<size_t>(plugin)].add(events_lost);
  }
  void write(MetricsText& text) const;
};

}  // namespace proa::apiserver::audit
