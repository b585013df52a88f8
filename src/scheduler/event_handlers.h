#pragma once

#include <functional>

#include "client/informer/informers.h"
#include "scheduler/framework/profiles.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/nominations.h"
#include "scheduler/queue/scheduling_queue.h"

namespace proa::scheduler {

// Carries what informers hear to the cluster and the queue: pods with a node to the one, pods
// without to the other, and whatever may help a waiting pod as an event. On the thread that polls
// the informers.
class Feed {
 public:
  // Everything outlives it.
  Feed(Cluster& cluster, SchedulingQueue& queue, Nominations& nominations, const Profiles& profiles)
      : cluster_(cluster), queue_(queue), nominations_(nominations), profiles_(profiles) {}

  // Adds handlers. Called once, before the informers are polled. `wake`: there may be work.
  void listen(client::Informers& informers, std::function<void()> wake);

  // Of the shape that pods like it have.
  PodPtr read(const api::ObjectPtr& pod) { return reader_.read(pod); }

 private:
  void hear_pod(const client::Change& change);
  void hear_placed(const Pod* before, const PodPtr& after);
  void hear_waiting(const PodPtr& after);
  void hear_gone(const api::Object& before);
  void hear_nomination(const PodPtr& pod);
  // Nowhere is room kept for it any more.
  void end_nomination(std::string_view uid);
  // That room is free, for pods that are no more important.
  void tell_freed(Pod nominated, std::string node);
  void hear_node(const client::Change& change);
  void hear_other(EventResource resource, const client::Change& change);

  Cluster& cluster_;
  SchedulingQueue& queue_;
  Nominations& nominations_;
  const Profiles& profiles_;
  PodReader reader_;
  std::function<void()> wake_;
};

}  // namespace proa::scheduler
