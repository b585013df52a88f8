#pragma once

#include "base/process/namespace_claim.h"
#include "base/result.h"

namespace proa::proxy {

// That this is the only proxy in a network namespace: two would remove each other's rules.
class OnlyOne {
 public:
  // In the namespace of the calling thread. kConflict if another one holds it.
  static Result<OnlyOne> take();

 private:
  explicit OnlyOne(NamespaceClaim claim) : claim_(std::move(claim)) {}
  NamespaceClaim claim_;
};

}  // namespace proa::proxy
