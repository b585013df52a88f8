#include "client/informer/cache.h"

#include "base/check.h"

namespace proa::client {
namespace cache {

bool is_same(const api::Object& a, const api::Object& b) {
  return a.metadata().uid == b.metadata().uid &&
         a.metadata().resource_version == b.metadata().resource_version;
}

template <typename Objects>
std::vector<api::ObjectPtr> values_of(const Objects& objects) {
  std::vector<api::ObjectPtr> values;
  values.reserve(objects.size());
  for (const auto& [name, object] : objects) values.push_back(object);
  return values;
}

}  // namespace cache

void Cache::add_index(std::string name, IndexFunction function) {
  MutexLock lock(mutex_);
  CHECK(objects_.empty());
  // Several users of a shared cache may add the same index.
  for (const Index& index : indexes_) {
    if (index.name == name) return;
  }
  indexes_.push_back({std::move(name), std::move(function), {}});
}

api::ObjectPtr Cache::get(const Key& key) const {
  MutexLock lock(mutex_);
  const auto found = objects_.find({key.name_space, key.name});
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<api::ObjectPtr> Cache::list() const {
  MutexLock lock(mutex_);
  return cache::values_of(objects_);
}

std::vector<api::ObjectPtr> Cache::list(std::string_view name_space) const {
  MutexLock lock(mutex_);
  std::vector<api::ObjectPtr> found;
  for (auto at = objects_.lower_bound({name_space, ""});
       at != objects_.end() && at->first.name_space == name_space; ++at) {
    found.push_back(at->second);
  }
  return found;
}

std::vector<api::ObjectPtr> Cache::find(std::string_view index, const std::string& value) const {
  MutexLock lock(mutex_);
  for (const Index& candidate : indexes_) {
    if (candidate.name != index) continue;
    const auto found = candidate.objects.find(value);
    if (found == candidate.objects.end()) return {};
    return cache::values_of(found->second);
  }
  CHECK(false && "there is no such index");
  return {};
}

size_t Cache::size() const {
  MutexLock lock(mutex_);
  return objects_.size();
}

api::ObjectPtr Cache::exchange(const Name& name, api::ObjectPtr object) {
  api::ObjectPtr before;
  Objects::node_type place;
  auto next = objects_.end();
  if (const auto found = objects_.find(name); found != objects_.end()) {
    next = std::next(found);
    place = objects_.extract(found);
    before = std::move(place.mapped());
    for (Index& index : indexes_) {
      for (const std::string& value : index.function(*before)) {
        const auto bucket = index.objects.find(value);
        if (bucket == index.objects.end()) continue;
        bucket->second.erase(Name::of(*before));
        if (bucket->second.empty()) index.objects.erase(bucket);
      }
    }
  }
  if (object == nullptr) return before;
  for (Index& index : indexes_) {
    for (std::string& value : index.function(*object)) {
      index.objects[std::move(value)].insert_or_assign(Name::of(*object), object);
    }
  }
  // The name's views point into the object next to it, so both change together.
  const Name own = Name::of(*object);
  if (place.empty()) {
    objects_.emplace(own, std::move(object));
  } else {
    place.key() = own;
    place.mapped() = std::move(object);
    objects_.insert(next, std::move(place));
  }
  return before;
}

Change Cache::put(api::ObjectPtr object) {
  Change change{Key::of(*object), nullptr, object};
  MutexLock lock(mutex_);
  const Name name = Name::of(*object);
  change.before = exchange(name, std::move(object));
  return change;
}

Change Cache::remove(const Key& key) {
  MutexLock lock(mutex_);
  return {key, exchange({key.name_space, key.name}, nullptr), nullptr};
}

std::vector<Change> Cache::replace(std::vector<api::ObjectPtr> objects) {
  Objects wanted;
  for (api::ObjectPtr& object : objects) {
    const Name name = Name::of(*object);
    wanted.insert_or_assign(name, std::move(object));
  }
  std::vector<Change> changes;
  MutexLock lock(mutex_);
  for (const auto& [name, object] : objects_) {
    if (wanted.contains(name)) continue;
    changes.push_back({Key::of(*object), object, nullptr});
  }
  for (const Change& gone : changes) exchange({gone.key.name_space, gone.key.name}, nullptr);
  for (const auto& [name, object] : wanted) {
    const auto found = objects_.find(name);
    if (found != objects_.end() && cache::is_same(*found->second, *object)) continue;
    Change change{Key::of(*object), nullptr, object};
    change.before = exchange(name, object);
    changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace proa::client
