#pragma once

#include <optional>
#include <thread>
#include <vector>

#include "client/informer/reflector.h"

namespace proa::client {

// The objects of one resource, kept at hand: a cache, a thread that follows the server, and
// handlers that are told which object to look at. First indexes and handlers are added, then it is
// started.
class Informer {
 public:
  // Called on the informer's thread, after the cache has changed; must not block for long. The
  // change says where to look, not what to do: whoever acts looks into the cache.
  using Handler = Reflector::Handler;

  // Everything outlives it.
  Informer(Client& client, Clock& clock, Random& random, Selector selector);
  // Stops it, and waits until its last handler has returned.
  ~Informer();
  Informer(const Informer&) = delete;
  Informer& operator=(const Informer&) = delete;

  // REQUIRES: not started.
  void add_index(std::string name, IndexFunction function);
  void add_handler(Handler handler);

  void start();
  void stop();
  // Instead of start(), for who runs everything on one thread: does what can be done without
  // waiting.
  void poll();

  const Cache& cache() const { return cache_; }
  // Everything that was there when it began is in the cache, and handlers have been told.
  bool synced() const { return reflector_.synced(); }
  // See Reflector::progress().
  int64_t progress() const { return reflector_.progress(); }
  // False when `until` came first.
  bool wait_synced(const Until& until) EXCLUDES(mutex_);

 private:
  void run(const std::stop_token& stop) EXCLUDES(mutex_);
  void pause(const std::stop_token& stop) EXCLUDES(mutex_);
  void wake() EXCLUDES(mutex_);

  Clock& clock_;
  Cache cache_;
  std::vector<Handler> handlers_;
  Reflector reflector_;
  Mutex mutex_;
  CondVar changed_;
  std::jthread thread_;
};

}  // namespace proa::client
