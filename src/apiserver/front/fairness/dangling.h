#pragma once

#include <functional>
#include <string>

#include "api/object/object.h"
#include "base/result.h"

namespace proa::apiserver::fairness {

// The condition Dangling of a FlowSchema, but its time.
struct DanglingCondition {
  std::string status;
  std::string reason;
  std::string message;

  bool operator==(const DanglingCondition&) const = default;
};

// Whether a FlowSchema names a level that exists.
struct DanglingStatus {
  std::string schema;
  std::string level;
  bool dangling = false;

  // With upstream's texts.
  DanglingCondition condition() const;
};

// Empty if it has none. REQUIRES: a FlowSchema.
DanglingCondition read_dangling_condition(const api::Object& object);

}  // namespace proa::apiserver::fairness
