#include "client/informer/informers.h"

#include <algorithm>

#include "base/check.h"

namespace proa::client {
namespace informers {

// The stored version, which needs no conversion.
const api::Resource& find(const api::Schema& schema, std::string_view group,
                          std::string_view name) {
  for (const api::Resource* resource : schema.resources()) {
    if (resource->name == name && resource->group == group) return *resource->stored;
  }
  CHECK(!"a resource that there is");
  __builtin_unreachable();
}

}  // namespace informers

Informers::Shared& Informers::shared(std::string_view group, std::string_view resource) {
  const api::Resource& found = informers::find(schema_, group, resource);
  for (const std::unique_ptr<Shared>& one : informers_) {
    if (one->resource == &found) return *one;
  }
  Selector all;
  all.place.resource = &found;
  Shared& made = *informers_.emplace_back(std::make_unique<Shared>());
  made.resource = &found;
  made.informer = std::make_unique<Informer>(client_, clock_, random_, std::move(all));
  made.informer->on_news(made.turn.waker());  // until join()
  return made;
}

Informer& Informers::of(std::string_view group, std::string_view resource) {
  return *shared(group, resource).informer;
}

Informer& Informers::indexed(std::string_view group, std::string_view resource,
                             std::string_view index, IndexFunction function) {
  Shared& found = shared(group, resource);
  const auto known = std::find(found.indexes.begin(), found.indexes.end(), index);
  if (known == found.indexes.end()) {
    found.indexes.emplace_back(index);
    found.informer->add_index(std::string(index), std::move(function));
  }
  return *found.informer;
}

void Informers::join(Poller& poller) {
  for (const std::unique_ptr<Shared>& shared : informers_) poller.add(*shared->informer);
}

void Informers::poll(Shared& shared) {
  shared.turn.begin();
  shared.turn.end(shared.informer->poll());
}

void Informers::poll() {
  const Steady now = clock_.steady();
  for (const std::unique_ptr<Shared>& shared : informers_) {
    if (shared->turn.wanted(now)) poll(*shared);
  }
}

void Informers::poll_some(Random& random) {
  for (const std::unique_ptr<Shared>& shared : informers_) {
    if (random.below(2) == 0) poll(*shared);
  }
}

bool Informers::synced() const {
  for (const std::unique_ptr<Shared>& shared : informers_) {
    if (!shared->informer->synced()) return false;
  }
  return true;
}

bool Informers::wait_synced(const Until& until) {
  for (const std::unique_ptr<Shared>& shared : informers_) {
    if (!shared->informer->wait_synced(until)) return false;
  }
  return true;
}

}  // namespace proa::client
