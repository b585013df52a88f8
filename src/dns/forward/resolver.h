#pragma once

#include <functional>
#include <set>
#include <unordered_map>

#include "base/clock.h"
#include "base/random.h"
#include "dns/config/settings.h"
#include "dns/forward/cache.h"
#include "dns/forward/flight.h"
#include "dns/forward/forward_metrics.h"
#include "dns/forward/upstream/loop_probes.h"

namespace proa::dns {

// How long is waited for what. Tests have less patience.
struct ForwardTimes {
  // Three attempts within the five seconds after which C libraries ask again.
  Duration attempt = std::chrono::milliseconds(1500);
  Duration total = std::chrono::milliseconds(4800);
  // RFC 8767: when a client gets a stale answer although upstreams are still being asked.
  Duration stale = std::chrono::milliseconds(1800);
  Duration probe = std::chrono::seconds(1);
  Duration loop_probe = std::chrono::seconds(3);
  Duration loop_recheck = std::chrono::seconds(30);  // of an upstream in a loop
  Duration loop_period = std::chrono::minutes(5);    // of the others
};

// Asks upstreams: one thread calls everything here and waits for the sockets. Bounded in clients,
// questions and sockets.
class Resolver {
 public:
  struct Context {
    Clock& clock;
    Random& random;
    Cache& cache;
    ForwardMetrics& metrics;
    LoopProbes& probes;
    ForwardTimes times = {};
    // An upstream is in a loop, and is not asked any more.
    std::function<void(const std::string& zone, const Upstream& upstream)> looped = {};
    // An upstream does not answer any more, and others are asked before it.
    std::function<void(const std::string& zone, const Upstream& upstream)> silent = {};
  };
  explicit Resolver(Context context);
  ~Resolver();
  Resolver(const Resolver&) = delete;
  Resolver& operator=(const Resolver&) = delete;

  // REQUIRES: no zone asks "the host's" servers any more. Zones that stay as they are keep what is
  // known of their upstreams; questions that are under way go on. The cache is emptied: what it had
  // was said by others, perhaps.
  void configure(const std::vector<ForwardZone>& zones, bool detect_loops);

  // Asks, or joins those who wait for the same.
  void ask(const Query& query, Forwarder::Reply reply);
  // Asks for the cache only.
  void refresh(const Query& query);
  // We were asked for a name of the probes.
  void found_loop(uint64_t tag);

  // Waits for sockets, `wake` (a descriptor that somebody makes readable), and what is due; does
  // what can be done then.
  void run_once();
  // REQUIRES: called once.
  void watch(int wake);

  size_t flights() const { return flights_.size(); }
  size_t waiting() const { return waiting_; }

 private:
  using FlightPtr = std::unique_ptr<Flight>;

  std::shared_ptr<UpstreamSet> zone_of(NameView name) const;
  // What a name gets that zone_of() has nobody for.
  Rcode refusal_of(NameView name) const;
  Flight& begin(const Query& query, std::shared_ptr<UpstreamSet> zone, Flight::Purpose purpose);
  Flight* find(uint64_t hash, const Query& query);

  // Begins attempts until one is under way. The flight may be gone afterwards.
  void attempt(Flight& flight);
  bool open(Flight& flight);
  size_t write_query(Flight& flight);
  // `failed`: the present one, by the upstream's fault.
  void next_attempt(Flight& flight, bool failed);
  void note_failure(Flight& flight);
  void timed_out(Flight& flight, Steady now);
  void again_by_tcp(Flight& flight);

  void ready(uint64_t id);
  // True while there may be more to read.
  bool received(Flight& flight, ByteSpan message);
  void accept(Flight& flight, CheckedAnswer checked);

  void finish(Flight& flight, const Answer& answer);
  void finish_failed(Flight& flight);
  void finish_probe(Flight& flight, bool answered);
  void reply_stale(Flight& flight);
  void reply_rcode(const Query& query, const Forwarder::Reply& reply, Rcode rcode);
  void remove(Flight& flight);

  void set_timer(Flight& flight);
  void close(Flight& flight);
  void run_timers();
  void probe_zones(Steady now);
  void probe_health(const std::shared_ptr<UpstreamSet>& zone, size_t index);
  void probe_loop(const std::shared_ptr<UpstreamSet>& zone, size_t index);

  const Context context_;
  const uint64_t seed_;
  FileDescriptor epoll_;
  std::vector<std::shared_ptr<UpstreamSet>> zones_;  // the longest first
  bool detect_loops_ = false;
  uint64_t next_id_ = 1;
  uint64_t next_tag_ = 1;
  std::unordered_map<uint64_t, FlightPtr> flights_;
  std::unordered_multimap<uint64_t, Flight*> by_question_;
  std::set<std::pair<Steady, uint64_t>> timers_;
  Steady probes_due_ = Steady::min();
  size_t waiting_ = 0;
  size_t refreshing_ = 0;
  const std::unique_ptr<uint8_t[]> scratch_;  // for messages that arrive
  const std::unique_ptr<uint8_t[]> checked_;  // for what is kept of them
};

}  // namespace proa::dns
