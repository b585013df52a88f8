#pragma once

#include <memory>
#include <vector>

#include "base/threads/poller.h"
#include "client/client.h"
#include "client/shared/shared_resource.h"

namespace proa::client {

// A client for the components of a process that is not the API server's: what several of them watch
// is requested once and held once, and all of them get the same objects. The rest is the client's
// that it stands before.
//
// Shared are watches of whole collections that begin with the objects that exist. Their objects
// lack what the selector's `slim` leaves out; those of get and list are complete. Revisions of
// their events do not always grow: after an expired watch readers get the differences, in any
// order, so Informer::progress() means nothing to those who write.
class SharedClient final : public Client {
 public:
  // `shared`: everything of a resource each. REQUIRES: all arguments outlive it.
  SharedClient(Client& client, Clock& clock, Random& random, std::vector<Selector> shared);
  // Stops it.
  ~SharedClient() override { stop(); }

  // Watches deliver from now on. On a thread of its own.
  void start() { poller_.start(); }
  // Watches are silent from now on.
  void stop() { poller_.stop(); }
  // Instead of start(), for tests: does what can be done now.
  void poll();

  Result<api::ObjectPtr> get(const Place& place, const Until& until) override {
    return client_.get(place, until);
  }
  Result<ObjectList> list(const Place& place, const ListQuery& query, const Until& until) override {
    return client_.list(place, query, until);
  }
  Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query,
                                       const Until& until) override;
  Result<api::ObjectPtr> create(const Place& place, json::Document object,
                                const WriteChoices& choices, const Until& until) override {
    return client_.create(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> update(const Place& place, json::Document object,
                                const WriteChoices& choices, const Until& until) override {
    return client_.update(place, std::move(object), choices, until);
  }
  Result<api::ObjectPtr> patch(const Place& place, api::PatchType type, json::Document patch,
                               const WriteChoices& choices, const Until& until) override {
    return client_.patch(place, type, std::move(patch), choices, until);
  }
  Result<void> remove(const Place& place, const RemoveChoices& choices,
                      const Until& until) override {
    return client_.remove(place, choices, until);
  }
  Result<void> remove_collection(const Place& place, const ListQuery& query,
                                 const RemoveChoices& choices, const Until& until) override {
    return client_.remove_collection(place, query, choices, until);
  }

 private:
  struct Shared {
    const api::Resource* resource;
    std::unique_ptr<SharedResource> objects;
  };

  Client& client_;
  std::vector<Shared> shared_;
  Poller poller_;
};

}  // namespace proa::client
