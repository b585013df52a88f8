#pragma once

#include "controllers/framework/controller.h"

namespace proa::controllers::nodes {

// Marks the pods of an unreachable node as not ready.
class UnreadyPods {
 public:
  // Everything in the context outlives it.
  explicit UnreadyPods(const ControllerContext& context);

  // Does nothing for pods that are not ready or deleted.
  Result<void> mark(const api::ObjectPtr& pod) const;

 private:
  const client::BoundedClient client_;
  client::EventRecorder& events_;
  Clock& clock_;
  const api::Resource& resource_;
};

}  // namespace proa::controllers::nodes
