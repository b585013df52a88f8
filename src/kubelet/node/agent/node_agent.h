#pragma once

#include <functional>
#include <memory>

#include "api/schema/schema.h"
#include "base/files.h"
#include "base/random.h"
#include "base/threads/pool.h"
#include "client/bounded_client.h"
#include "client/events/recorder.h"
#include "kubelet/model/options.h"
#include "kubelet/model/pod_facts.h"
#include "kubelet/node/agent/node_status.h"
#include "kubelet/node/agent/pressure.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The Node object of this machine: registers it, keeps its status up to date (written if it
// changed, or every five minutes), renews its Lease, tells the runtime the pod CIDR. One thread of
// its own, and one that watches the Node. From any thread.
class NodeAgent {
 public:
  struct Context {
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    cri::Runtime& runtime;
    client::EventRecorder& events;
    const KubeletOptions& options;
    std::string version = {};      // of kubelet: "v1.36.4+proa"
    std::string system_root = {};  // prefix of "/proc" and "/sys"; empty except in tests
    // The node was registered, or its network became ready: pods that waited for that can continue.
    // From the agent's thread, under no lock.
    std::function<void()> became_ready = {};
    // What the pod network says of itself; null if it is not ours. From the agent's thread.
    std::function<PodNetworkSeen()> network = {};
    std::stop_token shutdown = {};  // cancels calls of the API server
  };
  virtual ~NodeAgent() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  // Something about the runtime changed: updates the status now.
  virtual void refresh() = 0;
  // From the watch of the API server. Null until it is registered.
  virtual api::ObjectPtr node() const = 0;
  virtual PodFacts facts() const = 0;  // without addresses of a pod
  // The pressure conditions: pods that need these resources are not admitted.
  virtual Pressures pressures() const = 0;
  virtual bool network_ready() const = 0;
  // Whether that runtime handler supports recursive read-only mounts. Empty: the default handler.
  virtual bool mounts_recursively(const std::string& handler) const = 0;
};
std::unique_ptr<NodeAgent> make_node_agent(NodeAgent::Context context);

}  // namespace proa::kubelet
