#pragma once

#include <compare>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "api/schema/resource.h"
#include "base/threads/mutex.h"

namespace proa::controllers {

// The object an owner reference refers to, resolved from the dependent's namespace.
struct OwnerIdentity {
  const api::Resource* resource = nullptr;
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};

  auto operator<=>(const OwnerIdentity&) const = default;
};

// A cache of owners that do not exist, so that the server is asked once for all their dependents.
// Entries stay valid: uids are unique. Thread-safe.
class AbsentOwners {
 public:
  // Upstream's size: enough for the owners whose dependents are being collected.
  static constexpr size_t kDefaultCapacity = 500;

  explicit AbsentOwners(size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  // `elsewhere`: an object with that uid exists in another namespace. The oldest entry is dropped
  // when the cache is full.
  void add(const OwnerIdentity& owner, bool elsewhere) EXCLUDES(mutex_);
  // Nullopt if unknown; otherwise the owner is absent, and the value is `elsewhere`.
  std::optional<bool> find(const OwnerIdentity& owner) const EXCLUDES(mutex_);

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  std::map<OwnerIdentity, bool> owners_ GUARDED_BY(mutex_);
  std::deque<OwnerIdentity> in_order_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
