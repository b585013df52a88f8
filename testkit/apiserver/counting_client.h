#pragma once

#include <map>
#include <string>

#include "base/threads/mutex.h"
#include "client/client.h"

namespace proa::testkit {

// Counts the watches and lists of each resource.
class CountingClient final : public client::Client {
 public:
  // The client outlives it.
  explicit CountingClient(client::Client& client) : client_(client) {}

  int watches(const std::string& resource) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = watches_.find(resource);
    return found == watches_.end() ? 0 : found->second;
  }
  int lists(const std::string& resource) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = lists_.find(resource);
    return found == lists_.end() ? 0 : found->second;
  }

  Result<api::ObjectPtr> get(const client::Place& place, const Until& until) override {
    return client_.get(place, until);
  }
  Result<client::ObjectList> list(const client::Place& place, const client::ListQuery& query,
                                  const Until& until) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ++lists_[std::string(place.resource->name)];
    }
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<client::Watch>> watch(const client::Place& place,
                                               const client::WatchQuery& query,
                                               const Until& until) override EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      ++watches_[std::string(place.resource->name)];
    }
    return client_.watch(place, query, until);
  }
  Result<api::ObjectPtr> create(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return client_.create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const client::Place& place, json::Document object,
                                const client::WriteChoices& choices, const Until& until) override {
    return client_.update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const client::Place& place, api::PatchType type,
                               json::Document patch, const client::WriteChoices& choices,
                               const Until& until) override {
    return client_.patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const client::Place& place, const client::RemoveChoices& choices,
                      const Until& until) override {
    return client_.remove(place, choices, until);
  }
  Result<void> remove_collection(const client::Place& place, const client::ListQuery& query,
                                 const client::RemoveChoices& choices,
                                 const Until& until) override {
    return client_.remove_collection(place, query, choices, until);
  }

 private:
  client::Client& client_;
  mutable Mutex mutex_;
  std::map<std::string, int> watches_ GUARDED_BY(mutex_);
  std::map<std::string, int> lists_ GUARDED_BY(mutex_);
};

}  // namespace proa::testkit
