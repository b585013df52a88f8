#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>

#include "base/clock.h"
#include "dns/cluster/lookup.h"
#include "dns/forward/forwarder.h"
#include "dns/server/in_flight.h"
#include "dns/server/statistics.h"

namespace proa::dns {

// What a query goes through: names of the cluster, the cache, servers outside. Thread-safe; the
// listeners call it, each with statistics of its own.
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
  explicit Handler(Context context) : context_(context), later_(context.statistics.thread()) {}

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
  size_t refuse(const Query& query, QueryFault fault, std::span<uint8_t> response) const;
  size_t forward(const Query& query, const Packet& packet, std::span<uint8_t> response,
                 Steady began, Statistics& statistics, const MakeLater& later);
  // Asks outside for the end of a chain of CNAMEs that began in the cluster.
  void follow(const Query& query, const Name& target, const Later& reply);
  size_t complete(const Query& query, ByteSpan found, std::span<uint8_t> response) const;
  void count_later(const Query& query, ByteSpan response, Steady began) EXCLUDES(mutex_);

  const Context context_;
  InFlight in_flight_;
  std::atomic<uint32_t> rotation_ = 0;
  Mutex mutex_;
  Statistics& later_ GUARDED_BY(mutex_);
};

}  // namespace proa::dns
