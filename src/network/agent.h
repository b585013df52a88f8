#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/limits/log_limit.h"
#include "base/random.h"
#include "base/watch/folder_changes.h"
#include "client/informer/informer.h"
#include "netlink/socket.h"
#include "network/apply/kernel.h"
#include "network/forward/forward_rules.h"
#include "network/masquerade/masquerade_rules.h"
#include "network/plan/plan.h"

namespace proa::network {

// What users should know of the pod network of a node.
struct NetworkReport {
  // Why pods have no network; ok when they have.
  Result<void> state;
  bool looked = false;  // the state is that of an attempt
  // What is wrong though pods run.
  std::vector<std::string> warnings = {};
  bool foreign = false;                // it is left to a CNI configuration of the user
  std::vector<IpPrefix> cluster = {};  // the pods and the addresses of all nodes
};

// The pod network of this node: waits until the controllers have given the Node its ranges, then
// writes the CNI configuration, and keeps routes, tunnel, masquerading and what the firewall lets
// through as the Nodes and the machine's links want them. What others delete comes back. It ends
// without a trace in the kernel being removed: pods keep running.
//
// Owned by the command that runs the node. It has a thread of its own, in the network namespace of
// the thread that calls start().
class NetworkAgent {
 public:
  struct Context {
    client::Client& client;  // may list and watch Nodes
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    api::NodeName node;
    NetworkOptions options = {};
    std::string cni_folder = {};   // where the runtime looks for configurations; exists
    std::string cni_state = {};    // addresses in use
    std::string cni_plugins = {};  // folder of plugins, which are looked for; empty: they are not
    // Whether nobody else on this machine uses these ranges; called before they are used.
    std::function<Result<void>(const std::vector<IpPrefix>& ranges)> claim = {};
    // The CNI configuration has changed. On the agent's thread.
    std::function<void()> changed = {};
    // The report has changed, or this machine may have another address. On the agent's thread.
    std::function<void()> news = {};
  };
  explicit NetworkAgent(Context context);
  // Stops it.
  ~NetworkAgent();
  NetworkAgent(const NetworkAgent&) = delete;
  NetworkAgent& operator=(const NetworkAgent&) = delete;

  // REQUIRES: the mode is not kNone.
  Result<void> start();
  void stop();

  // Why pods have no network; ok when they have. From any thread.
  Result<void> state() const EXCLUDES(mutex_) { return report().state; }
  NetworkReport report() const EXCLUDES(mutex_);

 private:
  using FactsMap = std::map<std::string, NodeFacts, std::less<>>;

  void node_changed(const client::Change& change) EXCLUDES(mutex_);
  void run(const std::stop_token& stop);
  bool wait(Steady until, const std::stop_token& stop) EXCLUDES(mutex_);
  Result<void> reconcile() EXCLUDES(mutex_);
  Result<void> bring(const NodeFacts& own, const std::vector<NodeFacts>& nodes);
  Result<void> watch_tunnel() EXCLUDES(mutex_);
  void settle(Steady rested, const std::stop_token& stop) EXCLUDES(mutex_);
  Result<void> give_way(const std::string& file);
  Result<void> accept_forwarded(const NetworkPlan& plan);
  Result<void> write_cni(const NetworkPlan& plan);
  void tell(const NetworkPlan& plan);
  void set_state(const Result<void>& state) EXCLUDES(mutex_);

  const Context context_;
  client::Informer nodes_;
  // Of the agent's thread.
  std::optional<netlink::Socket> listener_;
  std::optional<Kernel> kernel_;
  std::optional<MasqueradeRules> rules_;
  std::optional<ForwardRules> forward_;
  std::optional<NetworkPlan> done_;  // the last one that was carried out
  std::optional<netlink::NeighbourMonitor> neighbours_;
  std::optional<FolderChanges> configs_;  // CNI configurations
  std::vector<std::string> told_;
  std::vector<std::string> warnings_;
  std::vector<IpPrefix> cluster_;  // as reported
  LogLimit log_limit_;             // problems may come and go as others please: firewalls, nodes
  bool foreign_told_ = false;

  mutable Mutex mutex_;
  FactsMap facts_ GUARDED_BY(mutex_);
  bool dirty_ GUARDED_BY(mutex_) = false;
  NetworkReport report_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa::network
