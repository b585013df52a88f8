#pragma once

#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/files.h"
#include "base/threads/pool.h"
#include "client/events/recorder.h"
#include "proxy/changes/claims.h"
#include "proxy/changes/sources.h"
#include "proxy/changes/tracker.h"
#include "proxy/flows/stale_flows.h"
#include "proxy/health/proxy_servers.h"
#include "proxy/health/service_health.h"
#include "proxy/options.h"

namespace proa::proxy {

// The service proxy of a node: follows the API, and keeps the rules those of its Services. One
// thread follows, another one writes rules; changes that come while it writes are written together.
class Proxier {
 public:
  struct Context {
    client::Client& client;
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    http::LoopGroup& loops;
    WorkerPool& pool;  // writes Events
    Rules& rules;
    FlowTable& flows;
    // Removes what others left, when all Services have rules. Told whether this proxy holds its
    // ports; called again after a while if it returns false. May block.
    std::function<bool(bool holds_ports)> remove_former = {};
    ProxyOptions options;
  };
  // REQUIRES: everything outlives it.
  explicit Proxier(Context context);
  // Stops it.
  ~Proxier();
  Proxier(const Proxier&) = delete;
  Proxier& operator=(const Proxier&) = delete;

  void start();
  // Rules stay: connections go on while nobody watches.
  void stop();
  // Whether the rules follow the Services. Any thread.
  Result<void> health() const;

  // Instead of start(), for tests: does what is due. Returns when it must be called again at the
  // latest.
  Steady step();
  void poll() { sources_.poll(); }
  ProxyMetrics& metrics() { return metrics_; }

 private:
  void run(const std::stop_token& stop);
  void wait(Steady due) const;
  void queued();
  void wake() const;
  void listen(Steady now);
  void remove_former();
  bool waits_for_node(Steady now);
  void check_rules();
  void read_reports();
  void disturbed(Steady now);
  // Reads what changed. False if nothing did.
  bool read_news();
  bool read_node();
  // As modes are told.
  std::vector<ServicePortPtr> all_ports() const;
  Result<void> write();
  void written(Steady begin, bool whole);
  void failed(const Status& status, Steady begin, bool whole);
  void remove_stale_flows(bool whole);
  void count_without_local(bool whole);
  void announce();

  Context context_;
  ProxyMetrics metrics_;
  ProxyHealth health_;
  client::EventRecorder events_;
  FileDescriptor wakes_;  // eventfd
  Sources sources_;
  // Below: of the writing thread.
  Tracker tracker_;
  Claims claims_;
  NodeState node_;
  NodeFacts facts_;
  bool has_facts_ = false;
  std::vector<Change> changes_;
  bool whole_ = true;    // the kernel's rules are not known
  int failures_ = 0;     // in a row
  Steady not_before_{};  // of the next write
  Steady check_due_{};   // of rules, where the kernel does not report
  Steady listen_due_{};
  Steady node_due_ = Steady::max();  // until when its Node is waited for
  bool holds_ports_ = false;
  bool has_written_ = false;
  int disturbances_ = 0;  // of rules by others, with short times between them
  Steady last_disturbed_{};
  int untold_ = 0;       // disturbances since the last line about them
  Steady tell_due_{};    // of the next such line
  bool silent_ = false;  // why everything is written next is said already
  // Health check ports that could not be listened at: which the log says once.
  using HealthPort = std::pair<client::Key, uint16_t>;
  std::set<HealthPort> busy_health_ports_;        // at the last attempt
  std::set<HealthPort> known_busy_health_ports_;  // at the one before
  ProxyServers servers_;
  ServiceHealth service_health_;  // at a server of those
  Poller poller_;
  std::jthread thread_;
};

}  // namespace proa::proxy
