#include "client/shared/shared_client.h"

#include <algorithm>
#include <utility>

namespace proa::client {

SharedClient::SharedClient(Client& client, Clock& clock, Random& random,
                           std::vector<Selector> shared)
    : client_(client), poller_(clock) {
  for (Selector& selector : shared) {
    const api::Resource* resource = selector.place.resource;
    shared_.push_back(
        {resource, std::make_unique<SharedResource>(client, clock, random, std::move(selector))});
    poller_.add(*shared_.back().objects);
  }
}

void SharedClient::poll() {
  for (const Shared& one : shared_) one.objects->poll();
}

Result<std::unique_ptr<Watch>> SharedClient::watch(const Place& place, const WatchQuery& query,
                                                   const Until& until) {
  const auto found = std::find_if(shared_.begin(), shared_.end(), [&](const Shared& one) {
    return one.resource == place.resource;
  });
  const bool is_collection = place.name.empty() && place.subresource.empty();
  // What is held here may be older than a revision that is asked for.
  const bool begins_anywhere = query.send_initial_events && query.resource_version.empty();
  if (found == shared_.end() || !is_collection || !begins_anywhere) {
    return client_.watch(place, query, until);
  }
  return found->objects->subscribe(TRY(ObjectFilter::make(place, query)));
}

}  // namespace proa::client
