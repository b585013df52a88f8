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
#include "kubelet/node/agent/pressure.h"
#include "kubelet/runtime/cri/runtime.h"

namespace proa::kubelet {

// The Node object of this machine: registers it, keeps its status up to date (written only when it
// changed, or every five minutes), renews its Lease, tells the runtime which addresses pods get.
// One thread of its own, and one that follows the Node. From any thread.
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
    std::string system_root = {};  // what stands before "/proc" and "/sys"; empty but in tests
    // The node was registered, or its network became ready: who waited for that may go on. From the
    // agent's thread, under no lock.
    std::function<void()> opened = {};
  };
  virtual ~NodeAgent() = default;
  virtual void start() = 0;
  virtual void stop() = 0;
  // Something about the runtime changed: status is looked at now.
  virtual void look() = 0;
  // As the API has it now, nearly. Null until it is registered.
  virtual api::ObjectPtr node() const = 0;
  virtual PodFacts facts() const = 0;  // without addresses of a pod
  // What is short on this node now: no pods that need it are to be taken.
  virtual Pressures pressures() const = 0;
  virtual bool network_ready() const = 0;
  // Whether pods that this handler of the runtime runs can have mounts that are read-only with all
  // below them. Empty: the one that it runs pods with by default.
  virtual bool mounts_recursively(const std::string& handler) const = 0;
};
std::unique_ptr<NodeAgent> make_node_agent(NodeAgent::Context context);

}  // namespace proa::kubelet
