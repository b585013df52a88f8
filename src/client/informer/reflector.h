#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "client/bounded_client.h"
#include "client/informer/backoff.h"
#include "client/informer/cache.h"

namespace proa::client {

// Which objects are followed.
struct Selector {
  Place place;  // a collection
  std::string labels;
  std::string fields;
};

// Keeps a cache equal to what the server has. Asks for everything once, then follows the changes;
// goes on where it was when a watch breaks off, and asks for everything again when that is too long
// ago. For one thread at a time: whoever runs it calls step() again and again.
class Reflector {
 public:
  using Handler = std::function<void(const Change&)>;

  // Everything outlives it.
  Reflector(Client& client, Clock& clock, Random& random, Selector selector, Cache& cache,
            Handler handler);

  // Does the next thing there is to do, waiting for it no longer than until `until`. False when
  // there was nothing.
  bool step(const Until& until);
  // Called, on any thread, when step() may have something to do; see Watch::on_ready(). REQUIRES:
  // said before the first step.
  void on_ready(std::function<void()> wake) { wake_ = std::move(wake); }
  // Whether that is so: false where the watch cannot tell, and somebody has to look.
  bool tells() const { return watch_ == nullptr || tells_; }
  // What a fresh client would see has been put into the cache, and told to the handler.
  bool synced() const { return synced_.load(std::memory_order_acquire); }
  // The revision up to which the cache knows everything; zero before it is synced. A write of one's
  // own is in the cache when this has come to the resourceVersion that the write was answered with.
  int64_t progress() const { return progress_.load(std::memory_order_acquire); }
  // What there is now in a namespace: asks the server.
  Result<std::vector<api::ObjectPtr>> ask(const std::string& name_space) const;
  // No request is made before; for those who run it with a clock of their own.
  Steady not_before() const { return not_before_; }

 private:
  enum class Start : uint8_t { kStream, kList };

  Result<void> open();
  Result<void> watch(const WatchQuery& query);
  Result<void> open_stream();
  Result<void> list_and_watch();
  Result<std::vector<api::ObjectPtr>> list_all();
  void apply(const Event& event);
  void apply_initial(const Event& event);
  void finish_initial();
  void advance(std::string_view resource_version);
  void tell(const Change& change) const;
  void tell_all(const std::vector<Change>& changes) const;
  void failed(const Status& status);

  const BoundedClient client_;
  Clock& clock_;
  Random& random_;
  const Selector selector_;
  Cache& cache_;
  const Handler handler_;
  std::function<void()> wake_;
  std::atomic<bool> synced_ = false;
  std::atomic<int64_t> progress_ = 0;
  Start start_ = Start::kStream;
  std::unique_ptr<Watch> watch_;
  bool tells_ = false;      // this watch, when there is something
  bool delivered_ = false;  // by this watch
  Steady opened_{};
  // While a stream shows what is there: not yet for others to see.
  bool initial_ = false;
  std::map<Key, api::ObjectPtr> initial_objects_;
  std::string resource_version_;  // empty: everything must be asked for
  int failures_ = 0;
  Steady not_before_ = Steady::min();
};

}  // namespace proa::client
