#include "dns/forward/upstream_forwarder.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "base/check.h"

namespace proa::dns {
namespace upstream_forwarder {

// Clients whose queries the thread did not take yet.
constexpr size_t kMostAsked = 4096;
constexpr size_t kMostRefreshes = 32;
constexpr size_t kKeptRoom = 64;

}  // namespace upstream_forwarder

UpstreamForwarder::UpstreamForwarder(Context context)
    : context_(std::move(context)),
      cache_(context_.clock, context_.random.next(), {}),
      metrics_(context_.metrics, cache_),
      probes_(context_.random),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      resolver_({.clock = context_.clock,
                 .random = context_.random,
                 .cache = cache_,
                 .metrics = metrics_,
                 .probes = probes_,
                 .times = context_.times,
                 .looped = context_.looped,
                 .silent = context_.silent}) {
  CHECK(wake_.valid());
  resolver_.watch(wake_.get());
  const MutexLock lock(mutex_);
  // cached() does not allocate.
  inbox_.refreshes.reserve(upstream_forwarder::kMostRefreshes);
}

UpstreamForwarder::~UpstreamForwarder() { stop(); }

void UpstreamForwarder::configure(std::vector<ForwardZone> zones, const CacheSettings& cache,
                                  bool detect_loops) {
  cache_.configure(cache);
  const MutexLock lock(mutex_);
  inbox_.configuration = Configuration{std::move(zones), detect_loops};
  wake();
}

void UpstreamForwarder::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void UpstreamForwarder::stop() {
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    thread_.request_stop();
    wake();
  }
  if (thread_.joinable()) thread_.join();
}

void UpstreamForwarder::wake() {
  if (std::exchange(inbox_.woken, true)) return;
  const uint64_t one = 1;
  // Cannot fail: the counter has room for one.
  CHECK(::write(wake_.get(), &one, sizeof one) == sizeof one);
}

size_t UpstreamForwarder::cached(const Query& query, std::span<uint8_t> response) {
  metrics_.requests.add();
  const Cache::Hit hit = cache_.find(query, response);
  if (hit.size == 0) {
    metrics_.misses.add();
    return 0;
  }
  (hit.negative ? metrics_.negative_hits : metrics_.hits).add();
  if (hit.stale) metrics_.served_stale.add();
  if (hit.refresh) {
    const MutexLock lock(mutex_);
    if (inbox_.refreshes.size() < upstream_forwarder::kMostRefreshes) {
      inbox_.refreshes.push_back(query);
      wake();
    }
  }
  return hit.size;
}

void UpstreamForwarder::ask(const Query& query, Reply reply) {
  const std::optional<uint64_t> loop = probes_.saw(query.question);
  {
    const MutexLock lock(mutex_);
    if (stopped_) return;
    if (loop) {
      inbox_.loops.push_back(*loop);
      wake();
    } else if (inbox_.asked.size() < upstream_forwarder::kMostAsked) {
      inbox_.asked.push_back({.query = query, .reply = std::move(reply)});
      wake();
      return;
    }
  }
  if (!loop) metrics_.rejected.add();
  std::array<uint8_t, kPlainUdpSize> response;
  const size_t size = write_failure(query, loop ? Rcode::kNameError : Rcode::kRefused, response);
  reply(ByteSpan(response).first(size));
}

void UpstreamForwarder::take(Inbox& taken) {
  uint64_t count = 0;
  const MutexLock lock(mutex_);
  if (!inbox_.woken) return;
  static_cast<void>(::read(wake_.get(), &count, sizeof count) == sizeof count);
  std::swap(taken, inbox_);
  inbox_.woken = false;
}

void UpstreamForwarder::run(const std::stop_token& stop) {
  Inbox taken;
  taken.refreshes.reserve(upstream_forwarder::kMostRefreshes);
  while (!stop.stop_requested()) {
    take(taken);
    if (taken.configuration) {
      resolver_.configure(taken.configuration->zones, taken.configuration->detect_loops);
    }
    for (const uint64_t tag : taken.loops) resolver_.found_loop(tag);
    for (Waiter& waiter : taken.asked) resolver_.ask(waiter.query, std::move(waiter.reply));
    for (const Query& query : taken.refreshes) resolver_.refresh(query);
    taken.configuration.reset();
    taken.loops.clear();
    // What a flood needed is given back.
    if (taken.asked.capacity() > upstream_forwarder::kKeptRoom) taken.asked = {};
    taken.asked.clear();
    taken.refreshes.clear();
    taken.woken = false;
    resolver_.run_once();
  }
}

}  // namespace proa::dns
