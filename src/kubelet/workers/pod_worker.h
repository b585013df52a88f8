#pragma once

#include "client/informer/runner.h"
#include "kubelet/workers/actions/resizer.h"
#include "kubelet/workers/actions/starter.h"

namespace proa::kubelet {

// Brings one pod to what is wanted of it. The key's name is the pod's uid; what is wanted stands in
// the registry, what is there is asked of the runtime. It never waits for grace periods or pulls of
// images: who ends those has the pod looked at again.
class PodWorker final : public client::Reconciler {
 public:
  // Everything outlives it. `stop` calls off what is under way.
  PodWorker(const Parts& parts, std::stop_token stop)
      : parts_(parts), starter_(parts), resizer_(parts), stop_(std::move(stop)) {}

  Result<client::Again> reconcile(const client::Key& key) override;

 private:
  struct Look;  // at one pod

  Result<client::Again> sync(Look& look);
  void admit(Look& look, const PodPtr& wanted);
  void check_deadline(Look& look);
  Result<void> check_storage(Look& look);
  // False while containers that must go before all of them begin anew still run.
  Result<bool> clear_for_restart(Look& look);
  Result<void> act(Look& look, const PodPlan& plan);
  Result<void> start_all(Look& look, const Ground& ground, const PodPlan& plan);
  void stop_some(Look& look, const PodPlan& plan);
  void heed_post_starts(Look& look);
  void plan_resize(Look& look);
  Result<void> resize(Look& look);
  void end_resize(Look& look);

  // Before something of it is asked to end.
  void thaw(const std::string& uid);
  Result<client::Again> terminate(Look& look);
  bool stop_all(Look& look);
  Result<void> clean_up(Look& look);
  Result<void> remove_from_runtime(Look& look);
  Result<client::Again> remove_unknown(const std::string& uid, const cri::RuntimePod& running);
  Result<void> remove_old_containers(Look& look);
  Result<void> remove_container(const Look& look, const cri::Container& container);

  // Begins, or goes on, with its probes.
  void probe(const Look& look);
  void publish(Look& look, bool stopped);
  // What others are told that runs of it.
  cri::RuntimePod shown(const Look& look) const;
  client::Again again(const Look& look) const;
  Until until() const;
  Until until(const Look& look) const;

  const Parts& parts_;
  const Starter starter_;
  const Resizer resizer_;
  const std::stop_token stop_;
};

}  // namespace proa::kubelet
