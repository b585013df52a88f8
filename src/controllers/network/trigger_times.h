#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/object/object.h"
#include "base/threads/mutex.h"
#include "base/time.h"
#include "client/key.h"

namespace proa::controllers {

// When that happened which endpoints have to be changed for: what the annotation
// endpoints.kubernetes.io/last-change-trigger-time says, by which people measure how long a change
// of a pod takes to reach the network. Safe to use from any thread, for one key at a time.
class TriggerTimes {
 public:
  // The first time: when the service came. From then on, the earliest of what changed since the
  // last call; nullopt when that is nothing that has a time.
  std::optional<Time> next(const api::Object& service, std::span<const api::ObjectPtr> pods)
      EXCLUDES(mutex_);
  // The service is gone.
  void forget(const client::Key& service) EXCLUDES(mutex_);

 private:
  // Pods by a number that stands for their name: there are many of them. Ascending.
  using PodTimes = std::vector<std::pair<size_t, Time>>;
  struct Seen {
    Time service{};
    PodTimes pods = {};
  };
  static PodTimes times_of(std::span<const api::ObjectPtr> pods);
  static std::optional<Time> earliest_change(const Seen& before, const Seen& now);

  Mutex mutex_;
  std::unordered_map<client::Key, Seen> seen_ GUARDED_BY(mutex_);
};

inline constexpr const char* kTriggerTimeAnnotation =
    "endpoints.kubernetes.io/last-change-trigger-time";

}  // namespace proa::controllers
