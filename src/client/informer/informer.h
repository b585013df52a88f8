#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "base/threads/poller.h"
#include "client/informer/reflector.h"

namespace proa::client {

// A shared informer for one resource: a cache that follows the server, and handlers that get the
// changed keys. Add indexes and handlers first, then start it, or poll it from a shared thread.
class Informer final : public Pollable {
 public:
  // Called on the thread that follows the server, after the cache has changed; must not block for
  // long. Handlers only enqueue keys: reconcilers read the cache.
  using Handler = Reflector::Handler;

  // REQUIRES: all arguments outlive it.
  Informer(Client& client, Clock& clock, Random& random, Selector selector);
  // Stops it, and waits for the last handler.
  ~Informer() override;
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // REQUIRES: not started.
  void add_index(std::string name, IndexFunction function);
  void add_handler(Handler handler);

  // Runs on its own thread.
  void start();
  void stop();
  // Instead of start(). on_work() requires a client whose watches notify.
  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // The same for callers that poll regularly: called at once if the watch cannot notify.
  void on_news(std::function<void()> wake) { reflector_.on_ready(std::move(wake)); }

  const Cache& cache() const { return cache_; }
  // The initial list is in the cache, and handlers were called.
  bool synced() const { return reflector_.synced(); }
  // See Reflector::progress() and ask().
  int64_t progress() const { return reflector_.progress(); }
  Result<std::vector<api::ObjectPtr>> ask(const std::string& name_space) const {
    return reflector_.ask(name_space);
  }
  // False if `until` ends first.
  bool wait_synced(const Until& until) EXCLUDES(mutex_);

 private:
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  void pause(const std::stop_token& stop) EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);
  void tell_synced();

  Clock& clock_;
  Cache cache_;
  std::vector<Handler> handlers_;
  Reflector reflector_;
  bool notified_ = false;     // waiters for synced() were notified
  bool must_notify_ = false;  // waiters depend on a notification
  Mutex mutex_;
  CondVar changed_;
  std::jthread thread_;
};

}  // namespace proa::client
