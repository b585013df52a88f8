#pragma once

#include "controllers/framework/controller.h"

namespace proa::controllers::nodes {

// Says of pods that they are not ready, where their kubelet does not say anything any more.
class UnreadyPods {
 public:
  // Everything in the context outlives it.
  explicit UnreadyPods(const ControllerContext& context);

  // Nothing for one that is not ready, or gone.
  Result<void> mark(const api::ObjectPtr& pod) const;

 private:
  client::Client& client_;
  client::EventRecorder& events_;
  Clock& clock_;
  const api::Resource& resource_;
};

}  // namespace proa::controllers::nodes
