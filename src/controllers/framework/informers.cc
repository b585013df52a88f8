#include "controllers/framework/informers.h"

#include <algorithm>

#include "base/check.h"
#include "controllers/framework/owners.h"
#include "controllers/pods/pod_facts.h"

namespace proa::controllers {
std::string orphans_of(std::string_view name_space) { return "/" + std::string(name_space); }

namespace informers {

std::vector<std::string> controller_uid(const api::Object& object) {
  const api::Metadata::Owner* owner = controller_of(object);
  if (owner == nullptr) return {orphans_of(object.metadata().name_space)};
  return {std::string(owner->uid)};
}

std::vector<std::string> node_name(const api::Object& pod) {
  const std::string& node = pod_facts(pod).node;
  if (node.empty()) return {};
  return {node};
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
  return indexed(group, resource, "controller", informers::controller_uid);
}

client::Informer& Informers::pods_by_node() {
  return indexed("", "pods", "node", informers::node_name);
}

client::Informer& Informers::indexed(std::string_view group, std::string_view resource,
                                     std::string_view index, client::IndexFunction function) {
  Shared& found = shared(group, resource);
  const auto known = std::find(found.indexes.begin(), found.indexes.end(), index);
  if (known == found.indexes.end()) {
    found.indexes.emplace_back(index);
    found.informer->add_index(std::string(index), std::move(function));
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
