#pragma once

#include <compare>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "api/schema/resource.h"
#include "base/threads/mutex.h"

namespace proa::controllers {

// What an owner reference points at, from where its object stands.
struct OwnerIdentity {
  const api::Resource* resource = nullptr;
  std::string name_space = {};
  std::string name = {};
  std::string uid = {};

  auto operator<=>(const OwnerIdentity&) const = default;
};

// Owners that are known not to be there, so that the server is asked once for all their dependents,
// not once for each. What is absent stays so: no uid is given twice. Safe to use from any thread.
class AbsentOwners {
 public:
  // As upstream: enough for the owners whose dependents are being collected now.
  static constexpr size_t kDefaultCapacity = 500;

  explicit AbsentOwners(size_t capacity = kDefaultCapacity) : capacity_(capacity) {}

  // `elsewhere`: there is an object with that uid, in a namespace where it does not count. The
  // oldest one is forgotten when there are too many.
  void add(const OwnerIdentity& owner, bool elsewhere) EXCLUDES(mutex_);
  // Nullopt when nothing is known of it; otherwise it is absent, and this is `elsewhere`.
  std::optional<bool> find(const OwnerIdentity& owner) const EXCLUDES(mutex_);

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  std::map<OwnerIdentity, bool> owners_ GUARDED_BY(mutex_);
  std::deque<OwnerIdentity> in_order_ GUARDED_BY(mutex_);
};

}  // namespace proa::controllers
