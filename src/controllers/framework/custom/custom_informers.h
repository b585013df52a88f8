#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/threads/poller.h"
#include "controllers/framework/custom/custom_resources.h"

namespace proa::controllers {

// The objects of one custom resource, in a cache. Lives as long as somebody uses it; the cache is
// no longer updated once the definition is gone or does not serve this version any more.
class FollowedCustom {
 public:
  FollowedCustom(CustomVersion version, client::Client& client, Clock& clock, Random& random);

  const custom::Definition& definition() const { return *version_.definition; }
  const api::Resource& resource() const { return *version_.resource; }
  const client::Cache& cache() const { return informer_.cache(); }

 private:
  friend class CustomInformers;

  // In the definition's state when it was first seen; the server looks the current one up.
  const CustomVersion version_;
  client::Informer informer_;
  std::atomic<bool> settled_ = false;  // listed, or failed to be
};
using FollowedCustomPtr = std::shared_ptr<const FollowedCustom>;

// Follows the objects of all custom resources, as definitions come and go. All are polled together,
// on one thread: not that of other informers, since a webhook that converts objects may block.
class CustomInformers final : public Pollable {
 public:
  // REQUIRES: all arguments outlive it, `client` and `clock` also the FollowedCustoms.
  CustomInformers(CustomResources& resources, client::Client& client, Clock& clock, Random& random);
  // Whoever still holds a FollowedCustom keeps its watch open, which wakes nobody any more.
  ~CustomInformers() override { wake_->set(nullptr); }
  CustomInformers(const CustomInformers&) = delete;
  CustomInformers& operator=(const CustomInformers&) = delete;

  // Called on the thread that polls, under no lock; must not block for long.
  struct Follower {
    // A resource is followed from now on; before any of its changes.
    std::function<void(const FollowedCustomPtr&)> started = {};
    std::function<void(const FollowedCustomPtr&, const client::Change&)> changed = {};
    // It is not followed any more. Objects that are still in its cache may exist or not.
    std::function<void(const FollowedCustomPtr&)> stopped = {};
  };
  // REQUIRES: before the first poll.
  void add_follower(Follower follower) { followers_.push_back(std::move(follower)); }

  Steady poll() override;
  void on_work(std::function<void()> wake) override { wake_->set(std::move(wake)); }

  // By the definition's name. Null if it is not followed.
  FollowedCustomPtr find(const std::string& definition) const EXCLUDES(mutex_);
  // Whether the cache of every custom resource was filled, or could not be for some time.
  bool settled() const EXCLUDES(mutex_);

 private:
  // Shared with the functions that watches call, on any thread.
  class Wake {
   public:
    void set(std::function<void()> wake) EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      wake_ = std::move(wake);
    }
    void call() EXCLUDES(mutex_) {
      MutexLock lock(mutex_);
      if (wake_) wake_();
    }

   private:
    Mutex mutex_;
    std::function<void()> wake_ GUARDED_BY(mutex_);
  };
  struct Running {
    std::shared_ptr<FollowedCustom> followed;
    std::shared_ptr<std::atomic<bool>> woken;
    Steady due = Steady::max();
  };
  using AllRunning = std::map<std::string, Running>;  // by the definition's name

  void update() EXCLUDES(mutex_);
  void start(const CustomVersion& version) EXCLUDES(mutex_);
  void stop(const Running& running);
  Steady poll(Running& running);

  CustomResources& resources_;
  client::Client& client_;
  Clock& clock_;
  Random& random_;
  std::vector<Follower> followers_;
  const std::shared_ptr<Wake> wake_ = std::make_shared<Wake>();
  // Of definitions: all, and those that are accounted for in running_.
  std::atomic<uint64_t> changes_ = 0;
  std::atomic<uint64_t> followed_changes_ = 0;
  mutable Mutex mutex_;
  // Changed by the polling thread alone, which reads it without the lock.
  AllRunning running_;
};

}  // namespace proa::controllers
