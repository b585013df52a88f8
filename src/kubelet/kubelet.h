#pragma once

#include <memory>

#include "kubelet/assembly/kubelet_context.h"

namespace proa::kubelet {

// The agent of one node: runs the pods that are bound to it, and reports their status.
class Kubelet {
 public:
  using Context = KubeletContext;
  virtual ~Kubelet() = default;

  // Fails if the machine cannot run pods: cgroups, folders, the port of its endpoint.
  static Result<std::unique_ptr<Kubelet>> make(Context context);
  virtual void start() = 0;
  // Stops all containers: runs their preStop handlers, and gives each pod its grace period, but at
  // most that. Nothing is started any more; a later kubelet starts the pods again. Returns once no
  // container runs, or after a while beyond the longest grace period. REQUIRES: stop() is next.
  virtual void stop_containers(Duration most_grace) = 0;
  // The longest grace period of the pods of this node.
  virtual Duration longest_grace() const = 0;
  // Pods keep running. Waits for calls under way; so does destruction.
  virtual void stop() = 0;
  // The pod network or an address of this machine has changed: the Node is updated now. From any
  // thread.
  virtual void refresh_node() = 0;
  // Whether the node is ready to run pods: the runtime, above all. Does not block; from any thread.
  virtual Result<void> health() const = 0;
  // False if `until` is over before the node is ready.
  virtual bool wait_ready(const Until& until) = 0;
};

}  // namespace proa::kubelet
