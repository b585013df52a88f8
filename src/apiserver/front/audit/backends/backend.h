#pragma once

#include <span>
#include <string>

#include "apiserver/front/audit/events/audit_metrics.h"
#include "apiserver/front/audit/events/event_text.h"
#include "base/result.h"

namespace proa::apiserver::audit {

// Where events go. Called by the threads of its lane.
class Backend {
 public:
  virtual ~Backend() = default;

  // In metrics.
  virtual Plugin plugin() const = 0;
  // An event as write() takes it. Thread-safe.
  virtual std::string text_of(const Event& event, WithObjects objects) const = 0;
  // May block. A failure concerns all of them.
  virtual Result<void> write(std::span<const std::string> texts) = 0;
  // The server stops: no further attempts.
  virtual void hurry() {}
  // Ends what waits. Thread-safe.
  virtual void cancel() {}
};

}  // namespace proa::apiserver::audit
