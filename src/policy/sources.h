#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>

#include "api/schema/schema.h"
#include "base/threads/poller.h"
#include "client/informer/followed.h"
#include "client/informer/informer.h"

namespace proa::policy {

// What is followed of the API: NetworkPolicies, Namespaces and Pods of the whole cluster. Remembers
// which may have changed. Thread-safe after start.
class Sources {
 public:
  struct Context {
    client::Client& client;  // may list and watch them
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    std::function<void()> wake;  // called on any thread when there is news
  };
  // REQUIRES: everything outlives it.
  explicit Sources(Context context);
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  // Follows on the poller's thread.
  void join(Poller& poller);
  // Instead, for tests: does what can be done now.
  void poll();
  bool synced() const;

  struct News {
    std::set<client::Key> policies = {};
    std::set<client::Key> namespaces = {};
    std::set<client::Key> pods = {};

    bool empty() const { return policies.empty() && namespaces.empty() && pods.empty(); }
  };
  News take() EXCLUDES(mutex_);

  // Null if there is none.
  api::ObjectPtr policy(const client::Key& key) const { return policies_.cache().get(key); }
  api::ObjectPtr name_space(const client::Key& key) const { return namespaces_.cache().get(key); }
  api::ObjectPtr pod(const client::Key& key) const { return pods_.cache().get(key); }

 private:
  void changed(std::set<client::Key> News::*which, const client::Change& change) EXCLUDES(mutex_);

  const Context context_;
  client::Informer policies_;
  client::Informer namespaces_;
  client::Informer pods_;
  std::array<client::Followed, 3> followed_;
  Mutex mutex_;
  News news_ GUARDED_BY(mutex_);
};

}  // namespace proa::policy
