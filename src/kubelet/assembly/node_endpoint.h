#pragma once

#include "http/server/server.h"
#include "kubelet/assembly/pod_parts.h"
#include "kubelet/node/server/node_server.h"

namespace proa::kubelet {

// The HTTPS endpoint of the node: logs, exec, attach, port-forward, pods.
class NodeEndpoint {
 public:
  NodeEndpoint(Core& core, PodParts& parts) : core_(core), pods_(parts.registry, *parts.statuses) {}

  // Nothing to do without a certificate. Fails if the port is in use.
  Result<void> listen();
  void stop();

 private:
  class Pods final : public PodDirectory {
   public:
    Pods(const Registry& registry, const StatusWriter& statuses)
        : registry_(registry), statuses_(statuses) {}
    PodPtr find(std::string_view name_space, std::string_view name) const override {
      return registry_.find({std::string(name_space), std::string(name)});
    }
    std::vector<PodPtr> all() const override { return registry_.pods(); }
    std::shared_ptr<const json::Document> status(const Pod& pod) const override {
      return statuses_.last(pod.uid());
    }

   private:
    const Registry& registry_;
    const StatusWriter& statuses_;
  };

  Core& core_;
  const Pods pods_;
  std::unique_ptr<NodeServer> handler_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace proa::kubelet
