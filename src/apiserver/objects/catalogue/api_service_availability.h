#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/objects/follower.h"
#include "base/metrics/labelled.h"
#include "store/store.h"

namespace proa::apiserver {

// Which APIServices are available, for the metrics: a controller writes it into their conditions.
// Thread-safe.
class ApiServiceAvailability {
 public:
  // `changed`: called, on any thread, when an APIService has changed; must not call this.
  // REQUIRES: the store outlives it.
  explicit ApiServiceAvailability(store::Store& store, std::function<void()> changed = {});

  // Counts the changes so far. Those before the first call are not known.
  void catch_up();
  void write(MetricsText& text);

 private:
  void take(std::string_view key, const api::ObjectPtr& object);

  Labelled<Counter> losses_;
  std::map<std::string, bool, std::less<>> available_;  // by name; under the follower's lock
  Follower follower_;
};

}  // namespace proa::apiserver
