#pragma once

#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/bytes.h"
#include "base/cost/budget.h"

namespace proa::apiserver {

// What the handling of a request adds to its audit events. Thread-safe.
class AuditNotes {
 public:
  virtual ~AuditNotes() = default;

  // The first value of a key counts, as upstream's.
  virtual void annotate(std::string_view key, std::string value) = 0;
  // The answer of the authorizers, and their reason. The first one counts.
  virtual void note_decision(bool allowed, std::string_view reason) = 0;
  // The name, namespace, uid and resourceVersion in the body, at every level.
  virtual void note_names(api::View metadata) = 0;
  // Whether the next two are shown: from level Request on.
  virtual bool wants_object() const = 0;
  // The decoded body, with defaults, before admission; and what pays for its memory.
  virtual void note_object(std::string json, Budget held) = 0;
  // It takes too much memory: the event will say that it lacks it.
  virtual void leave_out_object() = 0;
  // A patch as it was sent.
  virtual void note_patch(const Bytes& patch) = 0;
};

}  // namespace proa::apiserver
