#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "base/threads/poller.h"
#include "client/informer/reflector.h"

namespace proa::client {

// The objects of one resource, kept at hand: a cache that follows the server, and handlers that are
// told which object to look at. First indexes and handlers are added, then it is started, or polled
// by a thread that it shares with others.
class Informer final : public Pollable {
 public:
  // Called on the thread that follows the server, after the cache has changed; must not block for
  // long. The change says where to look, not what to do: whoever acts looks into the cache.
  using Handler = Reflector::Handler;

  // Everything outlives it.
  Informer(Client& client, Clock& clock, Random& random, Selector selector);
  // Stops it, and waits until its last handler has returned.
  ~Informer() override;
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // REQUIRES: not started.
  void add_index(std::string name, IndexFunction function);
  void add_handler(Handler handler);

  // With a thread of its own.
  void start();
  void stop();
  // Instead of start(). on_work() is for clients whose watches tell when they have something.
  Steady poll() override;
  void on_work(std::function<void()> wake) override;
  // The same for who looks again and again, whether or not they can tell: at once where not.
  void on_news(std::function<void()> wake) { reflector_.on_ready(std::move(wake)); }

  const Cache& cache() const { return cache_; }
  // Everything that was there when it began is in the cache, and handlers have been told.
  bool synced() const { return reflector_.synced(); }
  // See Reflector::progress() and ask().
  int64_t progress() const { return reflector_.progress(); }
  Result<std::vector<api::ObjectPtr>> ask(const std::string& name_space) const {
    return reflector_.ask(name_space);
  }
  // False when `until` came first.
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
  bool told_ = false;          // those who wait for it to be synced
  bool must_be_told_ = false;  // or nobody would look again
  Mutex mutex_;
  CondVar changed_;
  std::jthread thread_;
};

}  // namespace proa::client
