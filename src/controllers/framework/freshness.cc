#include "controllers/framework/freshness.h"

#include "base/strings.h"

namespace proa::controllers {

void Freshness::wrote(const client::Key& key, const api::Object& answer) {
  const int64_t revision = parse_int(answer.metadata().resource_version).value_or(0);
  MutexLock lock(mutex_);
  Written& written = written_[key];
  written.revision = std::max(written.revision, revision);
}

void Freshness::removed(const client::Key& key, const api::Object& object) {
  MutexLock lock(mutex_);
  written_[key].removed.emplace(client::Key::of(object), std::string(object.metadata().uid));
}

void Freshness::gone(const client::Key& key, const api::Object& object) {
  MutexLock lock(mutex_);
  written_[key].gone.emplace(client::Key::of(object), std::string(object.metadata().uid));
}

void Freshness::failed(const client::Key& key, const Status& status) {
  const bool refused = status.code() >= 400 && status.code() < 500 && !status.is(Reason::kTimeout);
  if (refused) return;
  MutexLock lock(mutex_);
  written_[key].unsure = true;
}

bool Freshness::make_sure(const client::Key& key) {
  {
    MutexLock lock(mutex_);
    const auto found = written_.find(key);
    if (found == written_.end() || !found->second.unsure) return true;
  }
  // What was in the cache before and is not on the server then is gone for good.
  const std::vector<api::ObjectPtr> known =
      key.name_space.empty() ? informer_.cache().list() : informer_.cache().list(key.name_space);
  const Result<std::vector<api::ObjectPtr>> there = informer_.ask(key.name_space);
  if (!there) return false;
  std::set<std::string_view> uids;
  for (const api::ObjectPtr& object : *there) {
    uids.insert(object->metadata().uid);
    wrote(key, *object);
  }
  for (const api::ObjectPtr& object : known) {
    if (!uids.contains(object->metadata().uid)) gone(key, *object);
  }
  MutexLock lock(mutex_);
  written_[key].unsure = false;
  return true;
}

bool Freshness::is_fresh(const client::Key& key) {
  if (!make_sure(key)) return false;
  MutexLock lock(mutex_);
  const auto found = written_.find(key);
  if (found == written_.end()) return true;
  Written& written = found->second;
  if (informer_.progress() < written.revision) return false;
  std::erase_if(written.removed, [&](const auto& one) {
    const api::ObjectPtr object = informer_.cache().get(one.first);
    return object == nullptr || object->metadata().uid != one.second ||
           object->metadata().being_deleted;
  });
  std::erase_if(written.gone, [&](const auto& one) {
    const api::ObjectPtr object = informer_.cache().get(one.first);
    return object == nullptr || object->metadata().uid != one.second;
  });
  if (!written.removed.empty() || !written.gone.empty()) return false;
  written_.erase(found);
  return true;
}

void Freshness::forget(const client::Key& key) {
  MutexLock lock(mutex_);
  written_.erase(key);
}

}  // namespace proa::controllers
