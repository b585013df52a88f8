#pragma once

#include <cstdint>
#include <memory>

#include "api/selector/label_selector.h"
#include "client/informer/informers.h"
#include "scheduler/model/pod.h"

namespace proa::scheduler {

// Default selectors of topology spreading: pods of the same Services and controller. For the thread
// that polls the informers.
class DefaultSelectors {
 public:
  // REQUIRES: the informers are not started. They outlive it.
  explicit DefaultSelectors(client::Informers& informers);

  // Selects everything if the pod has no Service or controller.
  api::LabelSelector of(const Pod& pod) const;

  // Changes whenever a result of of() may have changed.
  uint64_t generation() const { return *generation_; }

 private:
  client::Informer& services_;
  client::Informer& replication_controllers_;
  client::Informer& replica_sets_;
  client::Informer& stateful_sets_;
  // Handlers live as long as the informers.
  std::shared_ptr<uint64_t> generation_ = std::make_shared<uint64_t>(1);
};

// The selector found for a pod, and whether it is current. Without DefaultSelectors (explicit
// constraints) it always is.
class FoundSelector {
 public:
  FoundSelector() = default;
  // `selectors` outlive it.
  FoundSelector(const DefaultSelectors& selectors, const Pod& pod)
      : selectors_(&selectors), selector_(selectors.of(pod)), generation_(selectors.generation()) {}

  const api::LabelSelector& selector() const { return selector_; }
  bool is_current(const Pod& pod) const;

 private:
  const DefaultSelectors* selectors_ = nullptr;
  api::LabelSelector selector_;
  mutable uint64_t generation_ = 0;  // at which it was compared last
};

}  // namespace proa::scheduler
