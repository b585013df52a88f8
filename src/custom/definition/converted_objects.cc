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

api::ObjectPtr ConvertedObjects::find(const std::string& key, Steady now) {
  MutexLock lock(mutex_);
  while (!order_.empty() && now - order_.back().asked > kMostAge) drop_last();
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || now - found->second->asked > kMostAge) return nullptr;
  return found->second->object;
}

void ConvertedObjects::keep(const std::string& key, api::ObjectPtr converted, Steady asked) {
  const size_t cost = converted_objects::cost_of(*converted);
  if (cost > kMostBytes / 4) return;
  MutexLock lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) {
    // Two asked at the same time.
    if (found->second->asked >= asked) return;
    bytes_ -= converted_objects::cost_of(*found->second->object);
    order_.erase(found->second);
    by_key_.erase(found);
  }
  order_.push_front({.key = key, .object = std::move(converted), .asked = asked});
  by_key_.emplace(order_.front().key, order_.begin());
  bytes_ += cost;
  while (bytes_ > kMostBytes) drop_last();
}

void ConvertedObjects::drop_last() {
  const Kept& last = order_.back();
  bytes_ -= converted_objects::cost_of(*last.object);
  by_key_.erase(last.key);
  order_.pop_back();
}

}  // namespace proa::custom
