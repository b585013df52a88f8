#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/clock.h"
#include "kubelet/node/agent/node_status.h"

namespace proa::kubelet {

// Collects the inputs of the Node's status from the runtime, the kernel and the disk. For one
// thread.
class NodeObserver {
 public:
  // What it refers to outlives it.
  struct Context {
    Clock& clock;
    Files& files;
    cri::Runtime& runtime;
    const KubeletOptions& options;
    std::string kubelet_version;
    std::string system_root;  // see read_machine
    std::function<PodNetworkSeen()> network = {};
  };
  explicit NodeObserver(Context context);

  // Collects everything; calls to the runtime end at `until`. `all`: also what rarely changes and
  // costs the runtime more: its images.
  void look(bool all, const Until& until);
  // As collected last. Refers to this observer.
  NodeFacts facts() const;
  bool network_ready() const {
    return runtime_seen_.readiness && runtime_seen_.readiness->network_ready;
  }
  // The runtime handlers that support recursive read-only mounts.
  std::set<std::string> recursive_handlers() const;
  const Pressures& pressures() const { return pressures_; }
  const PodNetworkSeen& network() const { return network_seen_; }

 private:
  void look_at_runtime(const Until& until);
  void look_at_images(const Until& until);
  void measure(const Until& until);

  const Context context_;
  const Machine machine_;
  std::vector<std::string> addresses_;
  RuntimeSeen runtime_seen_;
  PodNetworkSeen network_seen_;
  Steady last_ready_{};
  bool ask_version_ = true;
  bool told_ = false;  // the failure of the runtime is logged
  std::vector<cri::Image> images_;
  Steady images_due_ = Steady::min();
  std::string image_folder_;
  std::optional<int64_t> disk_capacity_;
  PressureMemory memory_;
  Pressures pressures_;
};

}  // namespace proa::kubelet
