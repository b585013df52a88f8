#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "apiserver/access/authz/authorizer.h"
#include "base/text/seeded_hash.h"
#include "base/threads/mutex.h"

namespace proa::apiserver::fairness {

// How many watches see the events of an object: each costs whoever changes it. Thread-safe.
class WatchCounts : public std::enable_shared_from_this<WatchCounts> {
 public:
  // Counts a watch until the last reference is dropped. Null for watches that see few events: those
  // of the pods of a node.
  std::shared_ptr<void> add(const Attributes& watch) EXCLUDES(mutex_);
  int64_t interested_in(const Attributes& change) const EXCLUDES(mutex_);

 private:
  void remove(const std::string& key) EXCLUDES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<std::string, int64_t, SeededHash, std::equal_to<>> counts_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver::fairness
