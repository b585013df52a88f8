#include "scheduler/plugins/volumes/binding/assumed_objects.h"

namespace proa::scheduler {
namespace assumed_objects {

bool same_version(const api::Object& a, const api::Object& b) {
  return a.metadata().resource_version == b.metadata().resource_version;
}

}  // namespace assumed_objects

AssumedObjects::AssumedObjects(client::Informer& informer) : cache_(informer.cache()) {
  informer.add_handler([assumed = assumed_](const client::Change& change) {
    const auto found = assumed->find(change.key);
    if (found == assumed->end()) return;
    const bool counts =
        change.after != nullptr && assumed_objects::same_version(*found->second, *change.after);
    if (!counts) assumed->erase(found);
  });
}

api::ObjectPtr AssumedObjects::get(const client::Key& key) const {
  const api::ObjectPtr object = cache_.get(key);
  return object == nullptr ? nullptr : current(object);
}

api::ObjectPtr AssumedObjects::current(const api::ObjectPtr& object) const {
  if (assumed_->empty()) return object;
  const auto found = assumed_->find(client::Key::of(*object));
  const bool counts =
      found != assumed_->end() && assumed_objects::same_version(*found->second, *object);
  return counts ? found->second : object;
}

Result<void> AssumedObjects::assume(api::ObjectPtr object) {
  const client::Key key = client::Key::of(*object);
  const api::ObjectPtr known = cache_.get(key);
  if (known == nullptr) {
    return Status(Reason::kNotFound, "\"" + key.str() + "\" not found");
  }
  if (!assumed_objects::same_version(*known, *object)) {
    return Status(Reason::kConflict,
                  "\"" + key.str() + "\" is out of sync (stored: " +
                      std::string(known->metadata().resource_version) +
                      ", assume: " + std::string(object->metadata().resource_version) + ")");
  }
  assumed_->insert_or_assign(key, std::move(object));
  return {};
}

void AssumedObjects::restore(const api::Object& assumed) {
  const auto found = assumed_->find(client::Key::of(assumed));
  if (found != assumed_->end() && assumed_objects::same_version(*found->second, assumed))
    assumed_->erase(found);
}

}  // namespace proa::scheduler
