#include "custom/definition/converted_objects.h"

#include "crypto/digest.h"

namespace proa::custom {
namespace converted_objects {

// Of an entry, besides its text; about.
constexpr size_t kOverhead = 512;

size_t cost_of(const api::Object& object) { return object.json().size() + kOverhead; }

}  // namespace converted_objects

std::string ConvertedObjects::key_of(std::string_view text, std::string_view version) {
  std::string key(crypto::sha256(text).view());
  key.append(version);
  return key;
}

api::ObjectPtr ConvertedObjects::find(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return nullptr;
  order_.splice(order_.begin(), order_, found->second);
  return found->second->object;
}

void ConvertedObjects::keep(const std::string& key, api::ObjectPtr converted) {
  const size_t cost = converted_objects::cost_of(*converted);
  if (cost > kMostBytes / 4) return;
  MutexLock lock(mutex_);
  if (by_key_.contains(key)) return;
  order_.push_front({.key = key, .object = std::move(converted)});
  by_key_.emplace(order_.front().key, order_.begin());
  bytes_ += cost;
  while (bytes_ > kMostBytes) {
    const Kept& last = order_.back();
    bytes_ -= converted_objects::cost_of(*last.object);
    by_key_.erase(last.key);
    order_.pop_back();
  }
}

}  // namespace proa::custom
