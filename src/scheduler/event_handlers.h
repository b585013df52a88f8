#pragma once

#include <functional>

#include "client/informer/informers.h"
#include "scheduler/framework/profiles.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"
#include "scheduler/queue/scheduling_queue.h"

namespace proa::scheduler {

// Updates cluster and queue from informer events: assigned pods go to the cluster, pending pods to
// the queue, and changes that may make a pod schedulable to the queue as events. On the thread that
// polls the informers. Upstream's eventhandlers.go.
class EventHandlers {
 public:
  // Everything outlives it.
  EventHandlers(Cluster& cluster, SchedulingQueue& queue, Nominations& nominations,
                const Profiles& profiles)
      : cluster_(cluster), queue_(queue), nominations_(nominations), profiles_(profiles) {}

  // Adds handlers. Called once, before the informers are polled. `wake` is called when there may be
  // work.
  void listen(client::Informers& informers, std::function<void()> wake);

  // The pod, sharing its shape with equal pods.
  PodPtr read(const api::ObjectPtr& pod) { return reader_.read(pod); }

 private:
  void pod_changed(const client::Change& change);
  void assigned_pod_changed(const Pod* before, const PodPtr& after);
  void pending_pod_changed(const PodPtr& after);
  void pod_deleted(const api::Object& before);
  void nomination_changed(const PodPtr& pod);
  // The pod is no longer nominated to a node.
  void end_nomination(api::UidView uid);
  // Notifies pods of the same or lower priority that the nomination's room is free.
  void notify_freed(Pod nominated, api::NodeName node);
  void node_changed(const client::Change& change);
  void object_changed(EventResource resource, const client::Change& change);

  Cluster& cluster_;
  SchedulingQueue& queue_;
  Nominations& nominations_;
  const Profiles& profiles_;
  PodReader reader_;
  std::function<void()> wake_;
};

}  // namespace proa::scheduler
