#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>

#include "base/clock.h"
#include "dns/cluster/lookup.h"
#include "dns/forward/forwarder.h"
#include "dns/server/in_flight.h"
#include "dns/server/names/cluster_zones.h"
#include "dns/server/names/local_names.h"
#include "dns/server/query_log.h"
#include "dns/server/statistics.h"

namespace proa::dns {

// What a query goes through: rewriting, configured hosts, names of the cluster, the cache, servers
// outside. Thread-safe; the listeners call it, each with statistics of its own.
class Handler {
 public:
  struct Context {
    const ClusterState& cluster;
    Clock& clock;
    ServerStatistics& statistics;
    // Null: names outside of the cluster are refused.
    Forwarder* forwarder = nullptr;
  };
  // REQUIRES: everything outlives it, and the forwarder calls nobody back after that.
  explicit Handler(Context context)
      : context_(context), log_(context.clock), later_(context.statistics.thread()) {}

  // Names that are rewritten or answered by the configuration; from any thread.
  void set_local_names(LocalNames names) EXCLUDES(names_mutex_);
  // The rest of what is configured; from any thread.
  void configure(const Settings& settings) EXCLUDES(names_mutex_);

  struct Packet {
    ByteSpan message;
    IpAddress client;
    bool tcp = false;
  };
  // Zero: no answer, now or at all. `later` is called once if the answer takes time: on another
  // thread, or before this returns. REQUIRES: `response` holds kMostMessage bytes for TCP,
  // kOurUdpSize for UDP.
  using Later = std::function<void(ByteSpan response)>;
  using MakeLater = std::function<Later()>;  // asked for only where it is needed
  size_t handle(const Packet& packet, std::span<uint8_t> response, Statistics& statistics,
                const MakeLater& later);

 private:
  // A query on its way.
  struct Work {
    const Query& query;
    const Packet& packet;
    std::span<uint8_t> response;
    Statistics& statistics;
    Steady began;
    const MakeLater& later;
  };

  static size_t refuse(const Query& query, QueryFault fault, std::span<uint8_t> response);
  size_t rewritten(const LocalNames& names, const Rewritten& to, const Work& work);
  size_t answer(const Work& work, const LocalNames* names);
  size_t answer_query(const Work& work);
  // What the cluster says, or that somebody else is asked.
  Outcome look_up(const Question& question, Writer& writer, Name& external) EXCLUDES(names_mutex_);
  size_t forward(const Work& work);
  // Counts an answer that is sent now; returns its size.
  size_t answered(const Work& work, size_t size, Answerer answerer) const;
  // Refuses if the client has too many questions in flight; 0 if it was not.
  size_t refuse_busy(const Work& work);
  Forwarder::Reply reply_later(const Work& work);
  // Asks outside for the end of a chain of CNAMEs that began in the cluster.
  void follow(const Query& query, const Name& target, Forwarder::Reply reply);
  size_t complete(const Query& query, ByteSpan found, std::span<uint8_t> response) const;
  void count_later(const Query& query, ByteSpan response, Steady began) EXCLUDES(mutex_);
  std::shared_ptr<const LocalNames> local_names() EXCLUDES(names_mutex_);
  std::shared_ptr<const ClusterZones> zones() EXCLUDES(names_mutex_);

  const Context context_;
  const ClusterZones default_zones_{ClusterSettings()};
  QueryLog log_;
  InFlight in_flight_;
  std::atomic<uint32_t> rotation_ = 0;
  std::atomic<bool> rotate_ = true;
  std::atomic<bool> has_names_ = false;
  std::atomic<bool> has_zones_ = false;
  SharedMutex names_mutex_;
  // Null: kubeadm's.
  std::shared_ptr<const ClusterZones> zones_ GUARDED_BY(names_mutex_);
  std::shared_ptr<const LocalNames> names_ GUARDED_BY(names_mutex_);
  Mutex mutex_;
  Statistics& later_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
