#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/node/node_flags.h"
#include "kubelet/model/pod.h"
#include "network/guard/pod_guard.h"
#include "policy/agent.h"

namespace proa::cli {

// What stands between the pods of a node: NetworkPolicies, and the guard of the pods' ports, since
// policies judge packets by their addresses. A machine that cannot have such rules is still a node,
// but says so: policies are promises.
class PodWalls {
 public:
  struct Context {
    client::Client& client;
    Files& files;
    Clock& clock;
    Random& random;
    const NodeSettings& settings;
  };
  // REQUIRES: everything outlives it.
  explicit PodWalls(Context context) : context_(context) {}

  // Before pods start. `our_bridge`: pods are attached to the bridge of our own network. Removes
  // the rules of an earlier start with walls that this one is without.
  void start(Terminal& terminal, bool our_bridge);
  void stop();

  // A pod's policies hold from its first packet on, and so does the guard of its port: waits until
  // they do. From any thread, once started.
  Result<void> prepare(const kubelet::Pod& pod, const std::vector<std::string>& addresses,
                       bool our_bridge, const Until& until) const;

 private:
  void start_policies(Terminal& terminal);
  void start_guard(Terminal& terminal, bool our_bridge);

  const Context context_;
  std::unique_ptr<policy::PolicyAgent> policies_;  // null if they are not enforced by us
  std::unique_ptr<network::PodGuard> guard_;       // null if pods are not guarded
};

}  // namespace proa::cli
