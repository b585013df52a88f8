#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/schema/schema.h"
#include "base/threads/mutex.h"
#include "base/threads/poller.h"
#include "client/informer/informer.h"
#include "client/informer/turn.h"
#include "kubelet/model/object_source.h"
#include "kubelet/pod/objects/references.h"

namespace proa::kubelet {

// A cache of the config maps and secrets that pods of this node refer to, each with a watch of its
// own: a node may read nothing else. A Poller calls it, so that all watches share one thread;
// poll() opens watches, and blocks on the server's response. Everything else from any thread that
// is not a loop's.
class ReferencedObjects final : public ObjectSource, public Pollable {
 public:
  // Reconcile these pods: objects that they refer to changed. On the Poller's thread, under no
  // lock.
  using Changed = std::function<void(const std::vector<api::Uid>& pod_uids)>;

  // Everything outlives it. `shutdown` cancels calls of get(). REQUIRES: the client's watches
  // support on_work.
  ReferencedObjects(client::Client& client, const api::Schema& schema, Clock& clock, Random& random,
                    Changed changed, std::stop_token shutdown = {});
  // REQUIRES: no longer polled.
  ~ReferencedObjects() override;
  ReferencedObjects(const ReferencedObjects&) = delete;
  ReferencedObjects& operator=(const ReferencedObjects&) = delete;

  // Watches what the pod refers to, in place of what it referred to before. Called before get() on
  // its behalf. Static pods refer to nothing that a node may read.
  void hold(const PodPtr& pod) EXCLUDES(mutex_);
  void release(api::UidView pod_uid) EXCLUDES(mutex_);

  // From the cache if it is watched and was read once; else from the API server.
  Result<api::ObjectPtr> get(std::string_view group, std::string_view resource,
                             std::string_view name_space, std::string_view name) override
      EXCLUDES(mutex_);

  Steady poll() override EXCLUDES(mutex_);
  void on_work(std::function<void()> wake) override { wake_ = std::move(wake); }

  // The number of watched objects.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Key {
    std::string resource = {};
    std::string name_space = {};
    std::string name = {};
    auto operator<=>(const Key&) const = default;
  };
  struct Followed;
  using FollowedPtr = std::shared_ptr<Followed>;

  FollowedPtr follow(const Key& key);
  void drop(const api::Uid& pod_uid, const std::set<Key>& keys, std::vector<FollowedPtr>& gone)
      REQUIRES(mutex_);
  const api::Resource* find_resource(std::string_view group, std::string_view name) const;
  Result<api::ObjectPtr> ask(const api::Resource& resource, const Key& key);
  void keep_immutable(Followed& followed) EXCLUDES(mutex_);
  void tell(const std::weak_ptr<Followed>& followed, const client::Change& change) EXCLUDES(mutex_);
  void wake() const {
    if (wake_) wake_();
  }

  const client::BoundedClient client_;
  const api::Schema& schema_;
  Clock& clock_;
  Random& random_;
  const Changed changed_;
  std::function<void()> wake_;
  mutable Mutex mutex_;
  std::map<Key, FollowedPtr> followed_ GUARDED_BY(mutex_);
  std::map<api::Uid, std::set<Key>, std::less<>> held_ GUARDED_BY(mutex_);
};

}  // namespace proa::kubelet
