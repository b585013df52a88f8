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

// The objects to follow.
struct Selector {
  Place place;  // a collection
  std::string labels;
  std::string fields;
  // What is kept of each object, with its metadata's name, namespace, uid, resourceVersion and
  // labels. Null: everything.
  std::function<api::ObjectPtr(const api::ObjectPtr&)> slim = {};
};

// Keeps a cache in sync with the server: lists once, then watches; resumes when a watch breaks, and
// relists when it expired. For one thread at a time, which calls step() repeatedly.
class Reflector {
 public:
  using Handler = std::function<void(const Change&)>;

  // REQUIRES: all arguments outlive it.
  Reflector(Client& client, Clock& clock, Random& random, Selector selector, Cache& cache,
            Handler handler);

  // Does the next step, waiting no longer than `until`. False if there was nothing to do.
  bool step(const Until& until);
  // Called, on any thread, when step() may have something to do; see Watch::on_ready(). REQUIRES:
  // set before the first step.
  void on_ready(std::function<void()> wake) { wake_ = std::move(wake); }
  // Whether the watch notifies: if not, the caller has to poll.
  bool notifies() const { return watch_ == nullptr || notifies_; }
  // The initial list is in the cache, and the handler was called.
  bool synced() const { return synced_.load(std::memory_order_acquire); }
  // The revision up to which the cache is complete; zero before it is synced. Our own write is in
  // the cache once this reaches the resourceVersion of its response.
  int64_t progress() const { return progress_.load(std::memory_order_acquire); }
  // Lists a namespace from the server.
  Result<std::vector<api::ObjectPtr>> ask(const std::string& name_space) const;
  // The time of the next request; for callers with their own clock.
  Steady not_before() const { return not_before_; }

 private:
  enum class Start : uint8_t { kStream, kList };

  bool step_once(const Until& until);
  Result<void> open();
  Result<void> watch(const WatchQuery& query);
  Result<void> open_stream();
  Result<void> list_and_watch();
  Result<std::vector<api::ObjectPtr>> list_all();
  void apply(const Event& event);
  api::ObjectPtr slim(const api::ObjectPtr& object) const;
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
  bool notifies_ = false;   // this watch notifies
  bool delivered_ = false;  // this watch delivered events
  Steady opened_{};
  // During the initial events of a streaming list: not visible to readers yet.
  bool initial_ = false;
  std::map<Key, api::ObjectPtr> initial_objects_;
  std::string resource_version_;  // empty: relist
  int failures_ = 0;
  Steady not_before_ = Steady::min();
};

}  // namespace proa::client
