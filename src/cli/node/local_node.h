#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "base/threads/pool.h"
#include "cli/host/signals.h"
#include "cli/node/node_flags.h"
#include "cli/node/own_runtime.h"
#include "cli/node/pod_walls.h"
#include "client/client.h"
#include "dns/agent.h"
#include "http/client/client.h"
#include "http/net/tls.h"
#include "kubelet/kubelet.h"
#include "network/agent.h"
#include "network/announce/announcer.h"
#include "network/announce/port_reporter.h"
#include "proxy/service_proxy.h"

namespace proa::cli {

// The local node: container runtime, bundled images, kubelet. For `proa up` and `proa node`, which
// provide client and certificates.
class LocalNode {
 public:
  struct Context {
    Files& files;
    Clock& clock;
    Random& random;
    http::LoopGroup& loops;
    client::Client& client;  // as the node
    const http::TlsSource* tls = nullptr;
    std::string client_authority_pem = {};
    NodeSettings settings = {};
  };
  explicit LocalNode(Context context);
  // Stops it.
  ~LocalNode();
  LocalNode(const LocalNode&) = delete;
  LocalNode& operator=(const LocalNode&) = delete;

  // Prints each step. At most once. If it fails, a containerd that it started is stopped.
  Result<void> start(Terminal& terminal);
  // Waits until the node is ready, a signal arrives (returns its name), or a minute has passed; the
  // node continues to start in that case. REQUIRES: started.
  std::optional<std::string_view> await_ready(StopSignals& signals, Terminal& terminal);
  // Stops the containers of all pods, each with its preStop handlers and its grace period, but at
  // most that. REQUIRES: stop() is next.
  void stop_pods(Duration most_grace, Terminal& terminal);
  // Pods and their runtime keep running.
  void stop();
  // See Kubelet::health(). REQUIRES: started.
  Result<void> health() const { return kubelet_->health(); }

 private:
  Result<void> start_parts(Terminal& terminal);
  Result<void> start_runtime(Terminal& terminal);
  Result<void> import_images(Terminal& terminal);
  Result<void> prepare_encryption();
  Result<void> start_network(Terminal& terminal);
  void remove_former_accepts(Terminal& terminal);
  kubelet::PodNetworkSeen network_seen() const;
  kubelet::PodNetworkSeen pod_network_seen() const;
  void start_proxy(Terminal& terminal);
  void remove_former_rules(Terminal& terminal);
  Result<std::unique_ptr<proxy::ServiceProxy>> make_proxy();
  void start_balancing();
  Result<void> find_dns(Terminal& terminal);
  void start_dns(Terminal& terminal);
  std::string pod_link() const;
  void tell_dns_of_network();

  Context context_;
  http::Client http_;
  std::unique_ptr<OwnRuntime> runtime_;             // null with an external runtime
  std::unique_ptr<network::NetworkAgent> network_;  // null if the network is not ours
  std::unique_ptr<network::Announcer> announcer_;
  PodWalls walls_;
  std::atomic<bool> has_network_ = false;  // it may be asked
  // Destroyed after the pool below has finished the kubelet's tasks.
  std::unique_ptr<kubelet::Kubelet> kubelet_;
  std::unique_ptr<dns::DnsAgent> dns_;          // null if DNS is another one's
  std::unique_ptr<proxy::ServiceProxy> proxy_;  // null if Services are carried by another one
  WorkerPool pool_;
  std::unique_ptr<network::PortReporter> ports_;  // uses the pool
};

}  // namespace proa::cli
