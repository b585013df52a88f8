#include "kubelet/pod/objects/referenced_objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/validation/go_text.h"
#include "json/text/scan.h"

namespace proa::kubelet {
namespace referenced_objects {

// Upstream's kubelet uses the singular; the API server would use "configmaps".
Status not_found(std::string_view resource, std::string_view name) {
  const std::string_view word = resource.substr(0, resource.size() - 1);
  return {Reason::kNotFound, fmt::format("{} {} not found", word, api::quoted(name))};
}

bool is_immutable(const api::Object& object) {
  return json::Scan::find(object.json(), "immutable") == "true";
}

}  // namespace referenced_objects

// Guarded by the mutex of its owner. Only poll() touches `informer` without it: no other function
// changes it.
struct ReferencedObjects::Followed {
  // Watches may call it after they are gone.
  std::shared_ptr<client::Turn> turn = std::make_shared<client::Turn>();
  std::set<api::Uid> pods;
  bool asked = false;  // a pod that has to be reconciled on changes
  std::string given;   // the resourceVersion that was answered last; empty: that there is none
  api::ObjectPtr immutable;  // never changes, and need not be followed any more
  std::unique_ptr<client::Informer> informer;
};

ReferencedObjects::ReferencedObjects(client::Client& client, const api::Schema& schema,
                                     Clock& clock, Random& random, Changed changed,
                                     std::stop_token shutdown)
    : client_(client, clock, std::move(shutdown)),
      schema_(schema),
      clock_(clock),
      random_(random),
      changed_(std::move(changed)) {}

ReferencedObjects::~ReferencedObjects() = default;

const api::Resource* ReferencedObjects::find_resource(std::string_view group,
                                                      std::string_view name) const {
  for (const api::Resource* resource : schema_.resources()) {
    if (resource->name == name && resource->group == group) return resource->stored;
  }
  return nullptr;
}

ReferencedObjects::FollowedPtr ReferencedObjects::follow(const Key& key) {
  client::Selector selector;
  selector.place.resource = find_resource("", key.resource);
  selector.place.name_space = key.name_space;
  selector.fields = "metadata.name=" + key.name;
  auto followed = std::make_shared<Followed>();
  followed->informer =
      std::make_unique<client::Informer>(client_.unbounded(), clock_, random_, std::move(selector));
  followed->informer->add_handler(
      [this, weak = std::weak_ptr(followed)](const client::Change& change) { tell(weak, change); });
  followed->informer->on_work([this, turn = followed->turn] {
    turn->waker()();
    wake();
  });
  return followed;
}

void ReferencedObjects::hold(const PodPtr& pod) {
  if (pod->is_static() || pod->is_mirror()) return;
  std::set<Key> wanted;
  for (const Reference& reference : references_of(*pod)) {
    wanted.insert({.resource = std::string(reference.resource),
                   .name_space = std::string(pod->name_space()),
                   .name = reference.name});
  }
  std::vector<FollowedPtr> gone;  // destroyed after the lock is released: that closes their watches
  bool added = false;
  {
    MutexLock lock(mutex_);
    for (const Key& key : wanted) {
      FollowedPtr& followed = followed_[key];
      if (followed == nullptr) {
        followed = follow(key);
        added = true;
      }
      followed->pods.insert(pod->uid());
    }
    std::set<Key> before = std::exchange(held_[pod->uid()], wanted);
    std::erase_if(before, [&wanted](const Key& key) { return wanted.contains(key); });
    drop(pod->uid(), before, gone);
    if (wanted.empty()) held_.erase(pod->uid());
  }
  if (added) wake();
}

void ReferencedObjects::release(api::UidView pod_uid) {
  std::vector<FollowedPtr> gone;
  MutexLock lock(mutex_);
  const auto found = held_.find(pod_uid);
  if (found == held_.end()) return;
  drop(found->first, found->second, gone);
  held_.erase(found);
}

void ReferencedObjects::drop(const api::Uid& pod_uid, const std::set<Key>& keys,
                             std::vector<FollowedPtr>& gone) {
  for (const Key& key : keys) {
    const auto found = followed_.find(key);
    if (found == followed_.end()) continue;
    found->second->pods.erase(pod_uid);
    if (!found->second->pods.empty()) continue;
    gone.push_back(std::move(found->second));
    followed_.erase(found);
  }
}

Result<api::ObjectPtr> ReferencedObjects::get(std::string_view group, std::string_view resource,
                                              std::string_view name_space, std::string_view name) {
  const api::Resource* known = find_resource(group, resource);
  if (known == nullptr) {
    return Status(Reason::kNotFound, fmt::format("resource {} of group {} does not exist",
                                                 api::quoted(resource), api::quoted(group)));
  }
  const Key key{.resource = std::string(resource),
                .name_space = std::string(name_space),
                .name = std::string(name)};
  {
    MutexLock lock(mutex_);
    const auto found = group.empty() ? followed_.find(key) : followed_.end();
    if (found != followed_.end()) {
      Followed& followed = *found->second;
      followed.asked = true;
      if (followed.immutable != nullptr) return followed.immutable;
      if (followed.informer->synced()) {
        api::ObjectPtr object = followed.informer->cache().get({key.name_space, key.name});
        followed.given =
            object == nullptr ? std::string() : std::string(object->metadata().resource_version);
        if (object == nullptr) return referenced_objects::not_found(resource, name);
        return object;
      }
    }
  }
  return ask(*known, key);
}

Result<api::ObjectPtr> ReferencedObjects::ask(const api::Resource& resource, const Key& key) {
  Result<api::ObjectPtr> object = client_.get(
      {.resource = &resource, .name_space = key.name_space, .name = key.name, .subresource = {}});
  if (object.is(Reason::kNotFound) && resource.group.empty() &&
      (key.resource == "configmaps" || key.resource == "secrets")) {
    return referenced_objects::not_found(key.resource, key.name);
  }
  if (!object) return object;
  MutexLock lock(mutex_);
  const auto found = resource.group.empty() ? followed_.find(key) : followed_.end();
  // Once it is watched, its pods have been notified of everything newer than this.
  if (found != followed_.end() && found->second->informer != nullptr &&
      !found->second->informer->synced()) {
    found->second->given = (*object)->metadata().resource_version;
  }
  return object;
}

void ReferencedObjects::tell(const std::weak_ptr<Followed>& followed,
                             const client::Change& change) {
  std::vector<api::Uid> pods;
  {
    MutexLock lock(mutex_);
    const FollowedPtr there = followed.lock();
    if (there == nullptr || !there->asked) return;
    const std::string_view now =
        change.after == nullptr ? std::string_view() : change.after->metadata().resource_version;
    if (there->given == now) return;
    pods.assign(there->pods.begin(), there->pods.end());
  }
  if (!pods.empty() && changed_) changed_(pods);
}

void ReferencedObjects::keep_immutable(Followed& followed) {
  if (!followed.informer->synced()) return;
  const std::vector<api::ObjectPtr> objects = followed.informer->cache().list();
  if (objects.empty() || !referenced_objects::is_immutable(*objects.front())) return;
  std::unique_ptr<client::Informer> gone;
  MutexLock lock(mutex_);
  followed.immutable = objects.front();
  gone = std::move(followed.informer);
}

Steady ReferencedObjects::poll() {
  const Steady now = clock_.steady();
  std::vector<FollowedPtr> wanted;
  Steady next = Steady::max();
  {
    MutexLock lock(mutex_);
    for (const auto& [key, followed] : followed_) {
      if (followed->informer == nullptr) continue;
      if (followed->turn->wanted(now)) {
        wanted.push_back(followed);
      } else {
        next = std::min(next, followed->turn->due());
      }
    }
  }
  for (const FollowedPtr& followed : wanted) {
    followed->turn->begin();
    const Steady due = followed->informer->poll();
    followed->turn->end(due);
    next = std::min(next, due);
    keep_immutable(*followed);
  }
  return next;
}

size_t ReferencedObjects::size() const {
  MutexLock lock(mutex_);
  return followed_.size();
}

}  // namespace proa::kubelet
