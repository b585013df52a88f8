#pragma once

#include <optional>
#include <thread>

#include "base/threads/mutex.h"
#include "dns/forward/forwarder.h"
#include "dns/forward/resolver.h"

namespace proa::dns {

// The Forwarder of a node: the cache, and one thread that asks upstreams. Owned by the agent.
class UpstreamForwarder final : public Forwarder {
 public:
  struct Context {
    Clock& clock;
    Random& random;
    Metrics& metrics;  // not asked for its text after this is gone
    ForwardTimes times = {};
    // An upstream asks us what we ask it, and is not asked any more. From the forwarder's thread.
    std::function<void(const std::string& zone, const Upstream& upstream)> looped = {};
    // An upstream does not answer any more. From the forwarder's thread.
    std::function<void(const std::string& zone, const Upstream& upstream)> silent = {};
  };
  explicit UpstreamForwarder(Context context);
  // Stops it.
  ~UpstreamForwarder() override;

  // From any thread, also while it runs; soon afterwards the cache is empty. Until the first call
  // all names are refused. REQUIRES: no zone asks "the host's" servers any more
  // (with_host_upstreams()).
  void configure(std::vector<ForwardZone> zones, const CacheSettings& cache, bool detect_loops)
      EXCLUDES(mutex_);
  void start();
  void stop();

  size_t cached(const Query& query, std::span<uint8_t> response) override EXCLUDES(mutex_);
  void ask(const Query& query, Reply reply) override EXCLUDES(mutex_);

  Cache::Size cache_size() const { return cache_.size(); }

 private:
  struct Configuration {
    std::vector<ForwardZone> zones;
    bool detect_loops;
  };
  // What other threads want of the forwarder's.
  struct Inbox {
    std::vector<Waiter> asked = {};
    std::vector<Query> refreshes = {};
    std::vector<uint64_t> loops = {};
    std::optional<Configuration> configuration = {};
    bool woken = false;
  };

  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  void take(Inbox& taken) EXCLUDES(mutex_);
  void wake() REQUIRES(mutex_);

  const Context context_;
  Cache cache_;
  ForwardMetrics metrics_;
  LoopProbes probes_;
  FileDescriptor wake_;
  Resolver resolver_;  // of the thread alone
  Mutex mutex_;
  Inbox inbox_ GUARDED_BY(mutex_);
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace proa::dns
