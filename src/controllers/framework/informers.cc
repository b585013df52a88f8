#include "controllers/framework/informers.h"

#include "base/check.h"

namespace proa::controllers {
std::string orphans_of(std::string_view name_space) { return "/" + std::string(name_space); }

namespace informers {

std::vector<std::string> controller_uid(const api::Object& object) {
  for (const api::Metadata::Owner& owner : object.metadata().owners) {
    if (owner.controller) return {std::string(owner.uid)};
  }
  return {orphans_of(object.metadata().name_space)};
}

// The stored version: of that, nothing is converted.
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
  for (Shared& one : informers_) {
    if (one.resource == &found) return one;
  }
  client::Selector all;
  all.place.resource = &found;
  return informers_.emplace_back(Shared{
      .resource = &found,
      .informer = std::make_unique<client::Informer>(client_, clock_, random_, std::move(all))});
}

client::Informer& Informers::of(std::string_view group, std::string_view resource) {
  return *shared(group, resource).informer;
}

client::Informer& Informers::by_controller(std::string_view group, std::string_view resource) {
  Shared& found = shared(group, resource);
  if (!std::exchange(found.has_controllers, true)) {
    found.informer->add_index("controller", informers::controller_uid);
  }
  return *found.informer;
}

void Informers::join(Poller& poller) {
  for (Shared& shared : informers_) poller.add(*shared.informer);
}

void Informers::poll() {
  for (Shared& shared : informers_) shared.informer->poll();
}

void Informers::poll_some(Random& random) {
  for (Shared& shared : informers_) {
    if (random.below(2) == 0) shared.informer->poll();
  }
}

bool Informers::synced() const {
  for (const Shared& shared : informers_) {
    if (!shared.informer->synced()) return false;
  }
  return true;
}

bool Informers::wait_synced(const Until& until) {
  for (Shared& shared : informers_) {
    if (!shared.informer->wait_synced(until)) return false;
  }
  return true;
}

}  // namespace proa::controllers
