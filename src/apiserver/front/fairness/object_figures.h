#pragma once

#include <string>
#include <unordered_map>

#include "api/schema/resource.h"
#include "apiserver/front/fairness/seats.h"
#include "base/text/seeded_hash.h"
#include "base/threads/mutex.h"
#include "store/store.h"

namespace proa::apiserver::fairness {

// Looks how much there is of a resource: at some objects only, and at most once a second, so that
// it costs requests nothing. Thread-safe.
class ObjectSampler {
 public:
  // Objects that are looked at. Lists of more are long.
  static constexpr size_t kSample = 1024;

  explicit ObjectSampler(const store::Store& store) : store_(store) {}

  // Nullopt if the resource is not stored.
  std::optional<ObjectFigures> figures(const api::Resource& resource, Steady now) EXCLUDES(mutex_);

 private:
  struct Sample {
    ObjectFigures figures;
    Steady taken;
  };
  ObjectFigures look(const std::string& prefix) const;

  const store::Store& store_;
  Mutex mutex_;
  std::unordered_map<std::string, Sample, SeededHash, std::equal_to<>> samples_ GUARDED_BY(mutex_);
};

}  // namespace proa::apiserver::fairness
