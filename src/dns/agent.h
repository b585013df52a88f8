#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/files.h"
#include "base/metrics/metrics.h"
#include "base/process/namespace_claim.h"
#include "base/random.h"
#include "base/threads/poller.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "dns/config/settings.h"
#include "dns/forward/upstream_forwarder.h"
#include "dns/node/follower.h"
#include "dns/node/loopback_addresses.h"
#include "dns/node/metrics_server.h"
#include "dns/node/resolv_conf_changes.h"
#include "dns/node/settings_metrics.h"
#include "dns/server/tcp_server.h"
#include "dns/server/udp_server.h"
#include "netlink/socket.h"

namespace proa::dns {

struct DnsOptions {
  std::string domain = "cluster.local";
  std::vector<IpAddress> addresses = {};  // of the cluster's DNS; not empty
  std::string pod_link = {};              // see Access::Rules
  std::string resolv_conf = "/etc/resolv.conf";
  std::string record = {};  // path: which addresses were added to this machine
  uint16_t port = 53;
  int metrics_port = 9153;
};

// DNS of this node: puts the cluster's DNS addresses on this machine, answers there, and follows
// the API and the host's resolv.conf. What is in its way, such as another server on the port, is
// tried again until it is gone. The addresses stay when it ends.
//
// Owned by the command that runs the node; works in the network namespace of the thread that calls
// start().
class DnsAgent {
 public:
  struct Context {
    // May list and watch Services, EndpointSlices and Namespaces, and create Events.
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    Files& files;
    http::LoopGroup& loops;
    WorkerPool& pool;
    api::NodeName node;
    DnsOptions options = {};
    // problems() are others now. From any thread.
    std::function<void()> news = {};
  };
  // Fails for a domain that is none. REQUIRES: everything outlives it.
  static Result<std::unique_ptr<DnsAgent>> make(Context context);
  // Stops it.
  ~DnsAgent();
  DnsAgent(const DnsAgent&) = delete;
  DnsAgent& operator=(const DnsAgent&) = delete;

  Result<void> start();
  void stop();

  // See Access::Rules; from any thread.
  void set_pod_link(std::string link) { access_.set_link(std::move(link)); }
  // The pods and nodes of the cluster, which may read its metrics; from any thread.
  void set_cluster(std::vector<IpPrefix> ranges) { metrics_server_.set_cluster(std::move(ranges)); }
  // Why it does not answer; ok when it does. From any thread.
  Result<void> state() const EXCLUDES(mutex_);
  // What users should know. From any thread.
  std::vector<std::string> problems() const EXCLUDES(mutex_);

 private:
  // What the host's resolv.conf gives.
  struct HostServers {
    std::vector<Upstream> upstreams = {};
    std::vector<std::string> warnings = {};
    bool operator==(const HostServers&) const = default;
  };

  DnsAgent(Context context, Zone zone);
  void configure(const Follower::ConfigData& data, const std::string& uid)
      EXCLUDES(config_mutex_, mutex_);
  // Events of the ConfigMap say what is not used of it.
  void tell_of_config(const Problems& problems, const std::string& uid);
  HostServers read_host() const;
  // If the host's servers are others now, they are asked from now on.
  void reload_host() EXCLUDES(config_mutex_);
  void apply() REQUIRES(config_mutex_);
  // Of the thread, or before it starts.
  void watch_host();
  // An Event of the Node says which upstream is in a loop.
  void tell_of_loop(const std::string& zone, const Upstream& upstream);
  void tell_of_silence(const std::string& zone, const Upstream& upstream);
  client::ObjectReference own_node() const;
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  // Whether an address has gone; false if the time is over.
  bool wait(Steady until, const std::stop_token& stop) EXCLUDES(config_mutex_);
  Result<void> ensure();
  Result<void> claim();
  // DNS answers without it.
  void serve_metrics() EXCLUDES(mutex_);
  void set_state(const Result<void>& state) EXCLUDES(mutex_);

  const Context context_;
  Metrics metrics_;
  SettingsMetrics settings_metrics_;
  ServerStatistics statistics_;
  ClusterState cluster_;
  Access access_;
  client::EventRecorder events_;
  UpstreamForwarder forwarder_;
  Handler handler_;
  Follower follower_;
  Poller poller_;
  MetricsServer metrics_server_;
  std::optional<NamespaceClaim> claim_;  // of the thread, as are the next ones
  bool metrics_serve_ = false;
  std::optional<LoopbackAddresses> addresses_;
  std::optional<netlink::Socket> listener_;
  ResolvConfChanges host_changes_;
  Steady host_due_ = Steady::max();  // when the file is read again
  std::unique_ptr<TcpServer> tcp_;
  std::unique_ptr<UdpServer> udp_;

  Mutex config_mutex_;
  bool configured_ GUARDED_BY(config_mutex_) = false;
  Settings settings_ GUARDED_BY(config_mutex_);
  HostServers host_ GUARDED_BY(config_mutex_);

  mutable Mutex mutex_;
  Result<void> state_ GUARDED_BY(mutex_);
  bool looked_ GUARDED_BY(mutex_) = false;  // the state is that of an attempt
  std::string metrics_problem_ GUARDED_BY(mutex_);
  std::vector<std::string> config_problems_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace proa::dns
