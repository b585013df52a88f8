#pragma once

#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "client/client.h"

namespace proa::client {

// A component's view of a Client: every call may take as long as the component allows, and ends
// early when the component stops. Cheap to copy. Client and clock outlive it.
class BoundedClient {
 public:
  // As long as upstream's clients wait for an answer.
  static constexpr Duration kTimeout = std::chrono::seconds(30);

  BoundedClient(Client& client, const Clock& clock, std::stop_token stop = {},
                Duration timeout = kTimeout)
      : client_(&client), clock_(&clock), stop_(std::move(stop)), timeout_(timeout) {}

  Until until() const { return Until::after(*clock_, timeout_, stop_); }
  Client& unbounded() const { return *client_; }

  Result<api::ObjectPtr> get(const Place& place) const { return client_->get(place, until()); }
  Result<ObjectList> list(const Place& place, const ListQuery& query) const {
    return client_->list(place, query, until());
  }
  Result<std::unique_ptr<Watch>> watch(const Place& place, const WatchQuery& query) const {
    return client_->watch(place, query, until());
  }
  Result<api::ObjectPtr> create(const Place& place, json::Document object,
                                const WriteChoices& choices) const {
    return client_->create(place, std::move(object), choices, until());
  }
  Result<api::ObjectPtr> update(const Place& place, json::Document object,
                                const WriteChoices& choices) const {
    return client_->update(place, std::move(object), choices, until());
  }
  Result<api::ObjectPtr> patch(const Place& place, api::PatchType type, json::Document patch,
                               const WriteChoices& choices) const {
    return client_->patch(place, type, std::move(patch), choices, until());
  }
  Result<void> remove(const Place& place, const RemoveChoices& choices) const {
    return client_->remove(place, choices, until());
  }
  Result<void> remove_collection(const Place& place, const ListQuery& query,
                                 const RemoveChoices& choices) const {
    return client_->remove_collection(place, query, choices, until());
  }

 private:
  Client* client_;
  const Clock* clock_;
  std::stop_token stop_;
  Duration timeout_;
};

}  // namespace proa::client
