#pragma once

#include <cstdint>
#include <memory>

#include "api/selector/label_selector.h"
#include "client/informer/informers.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Which pods belong together, for pods that don't say it themselves: those that are of the same
// Services and of the same controller. For the thread on which the informers are polled.
class DefaultSelectors {
 public:
  // REQUIRES: they are not started yet. They outlive it.
  explicit DefaultSelectors(client::Informers& informers);

  // Selects everything when the pod belongs to nothing.
  api::LabelSelector of(const Pod& pod) const;

  // Another number when any answer of of() may be another one.
  uint64_t generation() const { return *generation_; }

 private:
  client::Informer& services_;
  client::Informer& replication_controllers_;
  client::Informer& replica_sets_;
  client::Informer& stateful_sets_;
  // Handlers live as long as the informers.
  std::shared_ptr<uint64_t> generation_ = std::make_shared<uint64_t>(1);
};

// The selector that was found for a pod, and whether it is still that one. Without
// DefaultSelectors (the pod said what it wants itself), it always is.
class FoundSelector {
 public:
  FoundSelector() = default;
  // `selectors` outlive it.
  FoundSelector(const DefaultSelectors& selectors, const Pod& pod)
      : selectors_(&selectors), selector_(selectors.of(pod)), generation_(selectors.generation()) {}

  const api::LabelSelector& selector() const { return selector_; }
  bool still_holds(const Pod& pod) const;

 private:
  const DefaultSelectors* selectors_ = nullptr;
  api::LabelSelector selector_;
  mutable uint64_t generation_ = 0;  // at which it was compared last
};

}  // namespace proa::scheduler
